// A libnvidia-ml.so.1 of the invented GPU at its power limit: its clock is 1000 MHz, of 1234.
extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char*, void** device) {
    static int the_only_one;
    return *device = &the_only_one, 0;
}
int nvmlDeviceGetClockInfo(void*, int, unsigned* mhz) { return *mhz = 1000, 0; }
}

// A libnvidia-ml.so.1 of the invented GPU at its power limit: its clock is 1000 MHz, of 1234. Its counter of energy moves at each fourth reading, by
// 20 J.
extern "C" {

int nvmlInit_v2() { return 0; }
int nvmlShutdown() { return 0; }
int nvmlDeviceGetHandleByPciBusId_v2(const char*, void** device) {
    static int the_only_one;
    return *device = &the_only_one, 0;
}
int nvmlDeviceGetTotalEnergyConsumption(void*, unsigned long long* millijoules) {
    static unsigned long long readings = 0;
    return *millijoules = 1'000'000 + readings++ / 4 * 20'000, 0;
}
int nvmlDeviceGetClockInfo(void*, int, unsigned* mhz) { return *mhz = 1000, 0; }
}

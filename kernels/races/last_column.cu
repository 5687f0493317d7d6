/* gemmscope
family = "races"
rung = 5
provenance = "this program"
operation = "add_one"
title = { en = "To the last column", zh = "直到最后一列" }
idea = { en = "Each row has a block, whose 64 threads walk along it.", zh = "每行一个线程块，由 64 个线程沿行逐段处理。" }
look = { view = "map", en = "Which block stores the first and the last element of each row.", zh = "每行的第一个和最后一个元素由哪个线程块写入。" }
story = { en = """
Each block finishes one row of C: its 64 threads take every 64th element until the row ends.
In row-major order the end of a row is the beginning of the next.
Find the line that goes past the edge.
""", zh = """
每个线程块完成 C 的一行：64 个线程每隔 64 个元素取一个，直到行末。
按行存放时，一行的结尾紧接着下一行的开头。
请找出哪一行代码越过了边界。
""" }

[[break]]
name = "complaint"
label = { en = "C is right, yet a tool complains", zh = "C 是对的，工具却报错" }
look = { en = "The loop runs one column too far: into the next row, which another block writes, and past the end of the last.", zh = "循环多走了一列：走进由别的线程块负责的下一行，末行则越出数组。" }
finding = "out_of_bounds"
find = 'column < N; column'
replace = 'column <= N; column'

[launch]
block = ["64"]
grid = ["1", "M"]
*/

// C[i] = A[i] + 1: a block for each of the M rows.
__global__ void last_column(int M, int N, const float* A, float* C) {
    const size_t row = blockIdx.y;

    for (int column = threadIdx.x; column < N; column += 64)
        C[row * N + column] = A[row * N + column] + 1;
}

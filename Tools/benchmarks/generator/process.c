#include "process.h"

#include "basics.h"

#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static uint64_t scheduled(const char *path)
{
    unsigned long long ns = 0;
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    if (fscanf(file, "%llu", &ns) != 1) ns = 0;
    fclose(file);
    return ns;
}

uint64_t process_cpu(pid_t process)
{
    char path[320];
    uint64_t sum = 0;
    snprintf(path, sizeof path, "/proc/%d/task", (int)process);
    DIR *threads = opendir(path);
    if (!threads) return 0;
    for (struct dirent *thread; (thread = readdir(threads));) {
        if (thread->d_name[0] == '.') continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", (int)process, thread->d_name);
        sum += scheduled(path);
    }
    closedir(threads);
    return sum;
}

uint64_t process_memory(pid_t process)
{
    char path[64], line[256];
    unsigned long long kib = 0;
    snprintf(path, sizeof path, "/proc/%d/smaps_rollup", (int)process);
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "Rss: %llu kB", &kib) == 1) break;
    fclose(file);
    return kib * 1024;
}

bool process_lives(pid_t process)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)process);
    return access(path, R_OK) == 0;
}

double contention(pid_t server)
{
    static double time_before, others_before;
    unsigned long long user, nice, system, idle, wait, irq, softirq, steal;
    double time = (double)now_ns() / 1e9;
    double ours = (double)(process_cpu(server) + scheduled("/proc/self/schedstat")) / 1e9;
    double others = others_before;
    FILE *file = fopen("/proc/stat", "r");
    if (file) {
        if (fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &user, &nice, &system, &idle, &wait, &irq,
                   &softirq, &steal) == 8)
            others = (double)(user + nice + system + irq + softirq + steal) / (double)sysconf(_SC_CLK_TCK) - ours;
        fclose(file);
    }
    double share = time_before > 0 ? (others - others_before) / (time - time_before) : 0;
    time_before = time;
    others_before = others;
    return share > 0 ? share : 0;
}

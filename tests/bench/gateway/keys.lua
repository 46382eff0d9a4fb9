-- Rotates the keys of ODP_BENCH_KEYS; what was measured goes to ODP_BENCH_OUT as JSON. Times in microseconds.
local requests, n, i = {}, 0, 0

function init(args)
    for key in io.lines(os.getenv("ODP_BENCH_KEYS")) do
        n = n + 1
        requests[n] = wrk.format("GET", nil, {["Host"] = wrk.headers["Host"], ["Authorization"] = "Bearer " .. key})
    end
end

function request()
    i = i % n + 1
    return requests[i]
end

function done(summary, latency, _)
    local e = summary.errors
    local out = assert(io.open(os.getenv("ODP_BENCH_OUT"), "w"))
    out:write(string.format('{"requests":%d,"rate":%.1f,"bytes":%d,"p50":%d,"p99":%d,"max":%d,', summary.requests,
        summary.requests * 1e6 / summary.duration, summary.bytes, latency:percentile(50), latency:percentile(99), latency.max))
    out:write(string.format('"errors":{"connect":%d,"read":%d,"write":%d,"status":%d,"timeout":%d}}\n', e.connect, e.read, e.write, e.status, e.timeout))
    out:close()
end

-- Load for wrk: purchase-created requests, each with an invoice of its own, and with a key of its
-- own when KEYED=1; or always the same request with BODY. Prints one JSON line at the end.
local token = os.getenv("TOKEN")
local keyed = os.getenv("KEYED") == "1"
local run = os.getenv("RUN")
local fixed_body = os.getenv("BODY")
local thread_count = 0

function setup(thread)
  thread:set("id", thread_count)
  thread_count = thread_count + 1
end

function init(args)
  counter = 0
  headers = { ["Authorization"] = "Bearer " .. token, ["Content-Type"] = "application/json" }
  if fixed_body then
    fixed_request = wrk.format("POST", "/v2/events/purchase-created", headers, fixed_body)
  end
end

function request()
  if fixed_request then return fixed_request end
  counter = counter + 1
  local name = run .. "-" .. id .. "-" .. counter
  if keyed then headers["Idempotency-Key"] = name end
  local body = '{"ucc":"BENCHCODE","occurredAt":"' .. os.getenv("OCCURRED_AT") ..
    '","newUser":{"id":"user-' .. counter % 20000 ..
    '"},"currency":"EUR","invoiceId":"inv-' .. name ..
    '","amount":4900,"subscription":{"interval":"monthly"}}'
  return wrk.format("POST", "/v2/events/purchase-created", headers, body)
end

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%.3f,"p50Ms":%.3f,"p99Ms":%.3f,"refused":%d,"broken":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, e.status, e.connect + e.read + e.write + e.timeout))
end

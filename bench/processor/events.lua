-- Load for wrk: the requests of the file EVENTS, one after the other; of each a line with the ids of
-- event, invoice and customer and the signature of TEMPLATE with these. Prints one JSON line at the end.
function init(args)
  local file = assert(io.open(os.getenv("TEMPLATE")))
  parts, places = {}, {}
  for text, place in (file:read("*a") .. "@end@"):gmatch("([^@]*)@(%a+)@") do
    parts[#parts + 1] = text
    parts[#parts + 1] = ""
    places[#parts] = place
  end
  lines = {}
  for line in io.lines(os.getenv("EVENTS")) do lines[#lines + 1] = line end
  counter = 0
  headers = { ["Content-Type"] = "application/json; charset=utf-8" }
end

function request()
  local line = lines[counter % #lines + 1]
  counter = counter + 1
  local ids = {}
  ids.event, ids.invoice, ids.customer, headers["Stripe-Signature"] =
    line:match("(%S+) (%S+) (%S+) (%S+)")
  for at, place in pairs(places) do parts[at] = ids[place] or "" end
  return wrk.format("POST", nil, headers, table.concat(parts))
end

function done(summary, latency, requests)
  local e = summary.errors
  io.write(string.format(
    '{"requests":%d,"seconds":%.3f,"p50Ms":%.3f,"p99Ms":%.3f,"failed":%d}\n',
    summary.requests, summary.duration / 1e6, latency:percentile(50) / 1e3,
    latency:percentile(99) / 1e3, e.status + e.connect + e.read + e.write + e.timeout))
end

#!/usr/bin/env python3
"""A collector of OpenTelemetry for tests.

otlp.py serve FOLDER [ANSWER...]   writes FOLDER/port, keeps each request in FOLDER/NNN.json and answers requests in
                                   turn as told, the rest with 200: a status, `429:SECONDS` (Retry-After), `close`,
                                   `hang` (says nothing), `stall` (200 and half a body), `huge` (200 and a body without
                                   end), `headers` (headers without end), `rejects:N` (a partial success)
otlp.py wait FOLDER metrics|traces N   until there are N requests
otlp.py check FOLDER               says which of them are not as the protocol describes
otlp.py judge metrics|traces       the same of a body on standard input
otlp.py show FOLDER [PATTERN]      the metrics of the last request and all spans, as lines of text
"""
import json, os, re, socket, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

# ---- the protocol: opentelemetry-proto's messages as JSON, field by field as metrics.proto, trace.proto, common.proto and
# resource.proto have them, without the values of enumerations that must not be sent and without what is in development.
# A field is a type, or [type] if it is repeated. `oneof` are groups of which exactly one field must be there, `must` are
# the fields that these tests cannot do without.
MESSAGES = {
    "ExportMetricsServiceRequest": {"resourceMetrics": ["ResourceMetrics"]},
    "ResourceMetrics": {"resource": "Resource", "scopeMetrics": ["ScopeMetrics"], "schemaUrl": "string"},
    "ScopeMetrics": {"scope": "InstrumentationScope", "metrics": ["Metric"], "schemaUrl": "string"},
    "Metric": {"name": "string", "description": "string", "unit": "string", "gauge": "Gauge", "sum": "Sum",
               "histogram": "Histogram", "exponentialHistogram": "ExponentialHistogram", "summary": "Summary",
               "metadata": ["KeyValue"]},
    "Gauge": {"dataPoints": ["NumberDataPoint"]},
    "Sum": {"dataPoints": ["NumberDataPoint"], "aggregationTemporality": "enum 1..2", "isMonotonic": "bool"},
    "Histogram": {"dataPoints": ["HistogramDataPoint"], "aggregationTemporality": "enum 1..2"},
    "ExponentialHistogram": {"dataPoints": ["ExponentialHistogramDataPoint"], "aggregationTemporality": "enum 1..2"},
    "Summary": {"dataPoints": ["SummaryDataPoint"]},
    "NumberDataPoint": {"attributes": ["KeyValue"], "startTimeUnixNano": "fixed64", "timeUnixNano": "fixed64",
                        "asDouble": "double", "asInt": "sfixed64", "exemplars": ["Exemplar"], "flags": "uint32"},
    "HistogramDataPoint": {"attributes": ["KeyValue"], "startTimeUnixNano": "fixed64", "timeUnixNano": "fixed64",
                           "count": "fixed64", "sum": "double", "bucketCounts": ["fixed64"],
                           "explicitBounds": ["double"], "exemplars": ["Exemplar"], "flags": "uint32", "min": "double",
                           "max": "double"},
    "ExponentialHistogramDataPoint": {
        "attributes": ["KeyValue"], "startTimeUnixNano": "fixed64", "timeUnixNano": "fixed64", "count": "fixed64",
        "sum": "double", "scale": "sint32", "zeroCount": "fixed64", "positive": "Buckets", "negative": "Buckets",
        "flags": "uint32", "exemplars": ["Exemplar"], "min": "double", "max": "double", "zeroThreshold": "double"},
    "Buckets": {"offset": "sint32", "bucketCounts": ["uint64"]},
    "SummaryDataPoint": {"attributes": ["KeyValue"], "startTimeUnixNano": "fixed64", "timeUnixNano": "fixed64",
                         "count": "fixed64", "sum": "double", "quantileValues": ["ValueAtQuantile"], "flags": "uint32"},
    "ValueAtQuantile": {"quantile": "double", "value": "double"},
    "Exemplar": {"filteredAttributes": ["KeyValue"], "timeUnixNano": "fixed64", "asDouble": "double",
                 "asInt": "sfixed64", "spanId": "id 8", "traceId": "id 16"},
    "ExportTraceServiceRequest": {"resourceSpans": ["ResourceSpans"]},
    "ResourceSpans": {"resource": "Resource", "scopeSpans": ["ScopeSpans"], "schemaUrl": "string"},
    "ScopeSpans": {"scope": "InstrumentationScope", "spans": ["Span"], "schemaUrl": "string"},
    "Span": {"traceId": "id 16", "spanId": "id 8", "traceState": "string", "parentSpanId": "id 8", "flags": "fixed32",
             "name": "string", "kind": "enum 1..5", "startTimeUnixNano": "fixed64", "endTimeUnixNano": "fixed64",
             "attributes": ["KeyValue"], "droppedAttributesCount": "uint32", "events": ["Event"],
             "droppedEventsCount": "uint32", "links": ["Link"], "droppedLinksCount": "uint32", "status": "Status"},
    "Event": {"timeUnixNano": "fixed64", "name": "string", "attributes": ["KeyValue"],
              "droppedAttributesCount": "uint32"},
    "Link": {"traceId": "id 16", "spanId": "id 8", "traceState": "string", "attributes": ["KeyValue"],
             "droppedAttributesCount": "uint32", "flags": "fixed32"},
    "Status": {"message": "string", "code": "enum 0..2"},
    "Resource": {"attributes": ["KeyValue"], "droppedAttributesCount": "uint32"},
    "InstrumentationScope": {"name": "string", "version": "string", "attributes": ["KeyValue"],
                             "droppedAttributesCount": "uint32"},
    "KeyValue": {"key": "string", "value": "AnyValue"},
    "AnyValue": {"stringValue": "string", "boolValue": "bool", "intValue": "int64", "doubleValue": "double",
                 "arrayValue": "ArrayValue", "kvlistValue": "KeyValueList", "bytesValue": "string"},
    "ArrayValue": {"values": ["AnyValue"]},
    "KeyValueList": {"values": ["KeyValue"]},
}
ONE_OF = {"Metric": [("gauge", "sum", "histogram", "exponentialHistogram", "summary")],
          "NumberDataPoint": [("asDouble", "asInt")], "Exemplar": [("asDouble", "asInt")],
          "AnyValue": [tuple(MESSAGES["AnyValue"])]}
MUST = {"Metric": ["name"], "Sum": ["aggregationTemporality", "isMonotonic"], "Histogram": ["aggregationTemporality"],
        "ExponentialHistogram": ["aggregationTemporality"], "NumberDataPoint": ["timeUnixNano"],
        "HistogramDataPoint": ["startTimeUnixNano", "timeUnixNano", "count", "bucketCounts", "explicitBounds"],
        "ExponentialHistogramDataPoint": ["startTimeUnixNano", "timeUnixNano", "count", "scale", "zeroCount"],
        "SummaryDataPoint": ["startTimeUnixNano", "timeUnixNano", "count"], "KeyValue": ["key", "value"],
        "Buckets": ["offset", "bucketCounts"], "Exemplar": ["timeUnixNano"],
        "Span": ["traceId", "spanId", "name", "kind", "startTimeUnixNano", "endTimeUnixNano"]}
RANGES = {"fixed64": (0, 2**64 - 1), "uint64": (0, 2**64 - 1), "sfixed64": (-2**63, 2**63 - 1),
          "int64": (-2**63, 2**63 - 1), "sint32": (-2**31, 2**31 - 1), "uint32": (0, 2**32 - 1), "fixed32": (0, 2**32 - 1)}

def is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool)

def scalar_fault(kind, value):
    if kind == "string":
        return None if isinstance(value, str) else "is not a string"
    if kind == "bool":
        return None if isinstance(value, bool) else "is not a boolean"
    if kind == "double":
        if value in ("NaN", "Infinity", "-Infinity"):
            return None
        return None if is_whole(value) or isinstance(value, float) else "is not a number"
    if kind.startswith("id "):
        digits = 2 * int(kind[3:])
        good = isinstance(value, str) and re.fullmatch(f"[0-9a-f]{{{digits}}}", value) and value.strip("0")
        return None if good else f"is not an id of {digits} hexadecimal digits"
    if kind.startswith("enum "):
        least, most = map(int, kind[5:].split(".."))
        return None if is_whole(value) and least <= value <= most else "is not a value of the enumeration"
    least, most = RANGES[kind]
    if kind.endswith("64"):  # in JSON, integers of 64 bits are decimal strings
        if not isinstance(value, str) or not re.fullmatch("0|-?[1-9][0-9]*", value):
            return "is not a decimal string"
        value = int(value)
    return None if is_whole(value) and least <= value <= most else f"is not a {kind}"

def field_faults(kind, value, path):
    if isinstance(kind, list):
        if not isinstance(value, list):
            return [f"{path} is not an array"]
        return [f for i, each in enumerate(value) for f in field_faults(kind[0], each, f"{path}[{i}]")]
    if kind in MESSAGES:
        return message_faults(kind, value, path)
    fault = scalar_fault(kind, value)
    return [f"{path} {fault}: {value!r}"] if fault else []

def message_faults(name, value, path):
    if not isinstance(value, dict):
        return [f"{path} is not an object"]
    out = []
    for field, inner in value.items():
        kind = MESSAGES[name].get(field)
        out += field_faults(kind, inner, f"{path}.{field}") if kind else [f"{path}: {name} has no field {field}"]
    for group in ONE_OF.get(name, []):
        if sum(field in value for field in group) != 1:
            out.append(f"{path}: {name} has not one of {', '.join(group)}")
    out += [f"{path}: {name} lacks {field}" for field in MUST.get(name, []) if field not in value]
    return out if out else meaning_faults(name, value, path)

# What the protocol's comments ask for beyond types.
def meaning_faults(name, value, path):
    out = []
    keys = [each["key"] for each in value.get("attributes", [])]
    if len(keys) != len(set(keys)):
        out.append(f"{path}: a key of an attribute stands twice")
    if "startTimeUnixNano" in value and "timeUnixNano" in value:
        if not 0 < int(value["startTimeUnixNano"]) <= int(value["timeUnixNano"]):
            out.append(f"{path}: it ends before it begins")
    if name == "HistogramDataPoint":
        counts, bounds = [int(c) for c in value["bucketCounts"]], value["explicitBounds"]
        if sum(counts) != int(value["count"]) or len(counts) != len(bounds) + 1 or bounds != sorted(set(bounds)):
            out.append(f"{path}: counts and bounds do not fit")
    if name == "ExponentialHistogramDataPoint":
        sides = [int(c) for side in ("positive", "negative") if side in value for c in value[side]["bucketCounts"]]
        if sum(sides) + int(value["zeroCount"]) != int(value["count"]) or not -10 <= value["scale"] <= 20:
            out.append(f"{path}: counts do not add up")
    if name == "Span" and not 0 < int(value["startTimeUnixNano"]) <= int(value["endTimeUnixNano"]):
        out.append(f"{path}: it ends before it begins")
    if name in ("Sum", "Histogram", "ExponentialHistogram") and value["aggregationTemporality"] != 2:
        out.append(f"{path}: it is not cumulative")
    return out

ROOTS = {"/v1/metrics": "ExportMetricsServiceRequest", "/v1/traces": "ExportTraceServiceRequest"}

def request_faults(request):
    root = ROOTS.get(request["path"])
    if not root or request["method"] != "POST":
        return [f"{request['method']} {request['path']} is not a request of the protocol"]
    headers = {k.lower(): v for k, v in request["headers"]}
    if headers.get("content-type") != "application/json":
        return [f"the content type is {headers.get('content-type')}"]
    return message_faults(root, json.loads(request["body"]), root)

# ---- the server

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        answer = self.server.keep({"method": self.command, "path": self.path, "headers": self.headers.items(),
                                   "body": body, "at": time.time()})
        word, _, number = answer.partition(":")
        self.close_connection = word in ("close", "hang", "stall", "huge", "headers")
        if word == "close":
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        elif word == "hang":
            self.wait_for_client()
        elif word in ("stall", "huge", "headers"):
            self.pour(word)
        elif word == "rejects":
            field = "rejectedSpans" if self.path.endswith("traces") else "rejectedDataPoints"
            self.reply(200, json.dumps({"partialSuccess": {field: number, "errorMessage": "test"}}))
        else:
            self.reply(int(word), "{}", number)

    def reply(self, status, text, retry_after=""):
        self.send_response(status)
        if retry_after:
            self.send_header("Retry-After", retry_after)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def wait_for_client(self):
        try:
            while self.connection.recv(4096):
                pass
        except OSError:
            pass

    def pour(self, word):
        try:
            self.wfile.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000000000000\r\n" + (b"" if word == "headers" else b"\r\n{"))
            while word != "stall":
                self.wfile.write((b"X-Header: " + b"x" * 1000 + b"\r\n") if word == "headers" else b" " * 1000)
            self.wait_for_client()
        except OSError:
            pass

    def log_message(self, *_):
        pass

class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, folder, answers):
        super().__init__(("127.0.0.1", 0), Handler)
        self.folder, self.answers, self.count, self.lock = folder, answers, 0, threading.Lock()
        write(f"{folder}/port", str(self.server_port))

    def keep(self, request):
        with self.lock:
            write(f"{self.folder}/{self.count:04}.json", json.dumps(request))
            answer = self.answers[self.count] if self.count < len(self.answers) else "200"
            self.count += 1
        return answer

def write(path, text):
    with open(path + ".new", "w") as file:
        file.write(text)
    os.rename(path + ".new", path)

# ---- what has come

def requests(folder, path=None):
    names = sorted(n for n in os.listdir(folder) if n.endswith(".json"))
    every = [json.load(open(f"{folder}/{name}")) for name in names]
    return [r for r in every if path in (None, r["path"])]

def attribute_text(value):
    if "arrayValue" in value:
        return "[" + ", ".join(attribute_text(v) for v in value["arrayValue"]["values"]) + "]"
    return str(next(iter(value.values())))

def attributes_text(attributes):
    return "{" + ",".join(f"{a['key']}={attribute_text(a['value'])}" for a in attributes) + "}"

def point_text(point):
    parts = []
    for name in ("asInt", "asDouble", "count", "sum", "scale", "zeroCount"):
        if name in point:
            parts.append(f"{name}={point[name]}")
    for side in ("positive", "negative"):
        if side in point:
            parts.append(f"{side}={point[side]['offset']}+{len(point[side]['bucketCounts'])}")
    if "explicitBounds" in point:
        parts.append(f"bounds={len(point['explicitBounds'])}")
    for exemplar in point.get("exemplars", []):
        parts.append(f"exemplar={exemplar['asDouble']} {attributes_text(exemplar['filteredAttributes'])} "
                     f"trace={exemplar.get('traceId')}")
    return " ".join(parts)

def show(folder, pattern):
    lines = []
    metrics = requests(folder, "/v1/metrics")
    for group in json.loads(metrics[-1]["body"])["resourceMetrics"] if metrics else []:
        lines.append("resource " + attributes_text(group["resource"]["attributes"]))
        for metric in (m for scope in group["scopeMetrics"] for m in scope["metrics"]):
            kind = next(k for k in ONE_OF["Metric"][0] if k in metric)
            unit = f" [{metric['unit']}]" if "unit" in metric else ""
            for point in metric[kind]["dataPoints"]:
                lines.append(f"{kind} {metric['name']}{unit} {attributes_text(point['attributes'])} {point_text(point)}")
    for request in requests(folder, "/v1/traces"):
        for group in json.loads(request["body"])["resourceSpans"]:
            for span in (s for scope in group["scopeSpans"] for s in scope["spans"]):
                length = int(span["endTimeUnixNano"]) - int(span["startTimeUnixNano"])
                lines.append(f"{'child' if 'parentSpanId' in span else 'span'} {span['name']} {length} "
                             f"{attributes_text(span['attributes'])} trace={span['traceId']}")
    print("\n".join(line for line in lines if re.search(pattern, line)))

def main():
    command, folder, *rest = sys.argv[1:]
    if command == "serve":
        os.makedirs(folder, exist_ok=True)
        Server(folder, rest).serve_forever()
    elif command == "wait":
        while len(requests(folder, f"/v1/{rest[0]}")) < int(rest[1]):
            time.sleep(0.05)
    elif command == "check":
        every = requests(folder)
        faults = [fault for request in every for fault in request_faults(request)]
        print("\n".join(sorted(set(faults))[:20]) if faults else "as the protocol describes" if every else "nothing came")
        sys.exit(1 if faults else 0)
    elif command == "judge":
        root = ROOTS[f"/v1/{folder}"]
        faults = message_faults(root, json.load(sys.stdin), root)
        print("\n".join(faults) if faults else "as the protocol describes")
    elif command == "show":
        show(folder, rest[0] if rest else "")
    else:
        sys.exit(__doc__)

main()

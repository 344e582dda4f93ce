import net from "node:net";

/** Environment variables, as `process.env` has them. */
export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The proxy that the environment names for a server; undefined for none. Servers on this machine are never proxied.
 * Source: golang.org/x/net/http/httpproxy, which client-go uses.
 */
export function proxyFromEnvironment(server: URL, environment: Environment): string | undefined {
  const scheme = server.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const proxy = either(environment, scheme);
  if (proxy === "") return undefined;
  const host = server.hostname.replace(/^\[(.*)\]$/, "$1").toLowerCase();
  const port = server.port || (server.protocol === "https:" ? "443" : "80");
  if (isLoopback(host) || isExcepted(host, port, either(environment, "NO_PROXY"))) return undefined;
  return proxy.includes("://") ? proxy : `http://${proxy}`;
}

/** Whether a host name or address is this machine. */
export function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || (net.isIPv4(host) && host.startsWith("127."));
}

function either(environment: Environment, name: string): string {
  return environment[name] || environment[name.toLowerCase()] || "";
}

function isExcepted(host: string, port: string, noProxy: string): boolean {
  const entries = noProxy.split(",").map((entry) => entry.trim().toLowerCase());
  return entries.some((entry) => entry !== "" && matches(entry, host, port));
}

function matches(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isInNetwork(entry, host);
  const [entryHost, entryPort] = splitPort(entry);
  if (entryPort !== "" && entryPort !== port) return false;
  if (net.isIP(entryHost) !== 0) return entryHost === host;
  const suffix = entryHost.startsWith("*.") ? entryHost.slice(1) : entryHost;
  if (suffix.startsWith(".")) return host.endsWith(suffix);
  return host === suffix || host.endsWith(`.${suffix}`);
}

function isInNetwork(entry: string, host: string): boolean {
  const [address = "", bits = ""] = entry.split("/");
  const family = net.isIP(address);
  const hostFamily = net.isIP(host);
  const prefix = Number(bits);
  if (family === 0 || hostFamily !== family || !/^\d+$/.test(bits) || prefix > (family === 4 ? 32 : 128))
    return false;
  const list = new net.BlockList();
  list.addSubnet(address, prefix, family === 4 ? "ipv4" : "ipv6");
  return list.check(host, family === 4 ? "ipv4" : "ipv6");
}

function splitPort(entry: string): [host: string, port: string] {
  const bracketed = /^\[(.*)\](?::(\d+))?$/.exec(entry);
  if (bracketed !== null) return [bracketed[1] ?? "", bracketed[2] ?? ""];
  if (net.isIPv6(entry)) return [entry, ""];
  const colon = entry.lastIndexOf(":");
  return colon < 0 ? [entry, ""] : [entry.slice(0, colon), entry.slice(colon + 1)];
}

/** clusterIPs and families of services. Source: kubernetes pkg/apis/core/validation (ValidateServiceClusterIPsRelatedFields). */
import { checkIp } from "../field-checks.ts";
import type { FieldProblems } from "../field-problems.ts";
import { type ServiceSpecFields, isHeadless } from "./service-allocation.ts";

const field = "spec.clusterIPs";

export function checkServiceAddresses(problems: FieldProblems, spec: ServiceSpecFields): void {
  if (spec.type === "ExternalName") return;
  const { clusterIP = "", clusterIPs = [], ipFamilies = [], ipFamilyPolicy } = spec;
  if (clusterIP !== "") {
    if (clusterIPs.length === 0) problems.required(field);
    else if (clusterIPs[0] !== clusterIP)
      problems.invalid(field, clusterIPs, "first value must match `clusterIP`");
  } else if (clusterIPs.length > 0)
    problems.invalid(field, clusterIPs, "must be empty when `clusterIP` is not specified");
  ipFamilies.forEach((family, i) => {
    if (family !== "IPv4" && family !== "IPv6")
      problems.notSupported(`spec.ipFamilies[${i}]`, family, ["IPv4", "IPv6"]);
    if (ipFamilies.indexOf(family) < i) problems.duplicate(`spec.ipFamilies[${i}]`, family);
  });
  const policies = ["PreferDualStack", "RequireDualStack", "SingleStack"];
  if (ipFamilyPolicy !== undefined && !policies.includes(ipFamilyPolicy))
    problems.notSupported("spec.ipFamilyPolicy", ipFamilyPolicy, policies);
  if (!checkEach(problems, clusterIPs)) return;
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(isIpv6)).size < 2)
    problems.invalid(field, clusterIPs, "may specify no more than one IP for each IP family");
  if (isHeadless(spec)) return;
  clusterIPs.forEach((ip, i) => {
    const family = ipFamilies[i];
    if (family !== undefined && (family === "IPv6") !== isIpv6(ip))
      problems.invalid(
        `${field}[${i}]`,
        ip,
        `expected an ${family} value as indicated by \`ipFamilies[${i}]\``,
      );
  });
}

function checkEach(problems: FieldProblems, clusterIPs: readonly string[]): boolean {
  let valid = true;
  clusterIPs.forEach((ip, i) => {
    if (i === 0 && ip === "None") {
      if (clusterIPs.length > 1) {
        problems.invalid(field, clusterIPs, "'None' must be the first and only value");
        valid = false;
      }
    } else if (!checkIp(problems, `${field}[${i}]`, ip)) valid = false;
  });
  if (clusterIPs.length > 2) problems.invalid(field, clusterIPs, "may only hold up to 2 values");
  return valid;
}

function isIpv6(ip: string): boolean {
  return ip.includes(":");
}

/** The address of a service is its for life. */
export function checkServiceAddressesUpdate(
  problems: FieldProblems,
  now: ServiceSpecFields,
  before: ServiceSpecFields,
): void {
  if (now.type === "ExternalName" || before.type === "ExternalName") return;
  if (!(isHeadless(now) && isHeadless(before))) {
    const addresses = now.clusterIPs ?? [];
    (before.clusterIPs ?? []).forEach((ip, i) => {
      if (i > 0 && i >= addresses.length) return;
      if (addresses.length === 0)
        problems.invalid(`${field}[0]`, addresses, "primary clusterIP can not be unset");
      else if (addresses[i] !== ip) problems.invalid(`${field}[${i}]`, addresses, "may not change once set");
    });
    const released = (before.clusterIPs?.length ?? 0) > 1 && addresses.length === 1;
    if (released && now.ipFamilyPolicy !== "SingleStack") {
      problems.invalid(
        "spec.ipFamilyPolicy",
        now.ipFamilyPolicy ?? null,
        "must be set to 'SingleStack' when releasing the secondary clusterIP",
      );
    }
  }
  if (isHeadless(now) || isHeadless(before)) return;
  const families = now.ipFamilies ?? [];
  if (before.ipFamilies?.[0] !== undefined && families[0] !== before.ipFamilies[0])
    problems.invalid("spec.ipFamilies[0]", families, "may not change once set");
}

/** Whether the API server can reach the webhooks, and trusts them. */
import { X509Certificate } from "node:crypto";
import { connect } from "node:tls";
import { EndpointSlice } from "@bowline/api/discovery/v1";
import { Secret } from "@bowline/api/core/v1";
import type { Client } from "@bowline/client";
import { webhookConfigurations } from "@bowline/runtime";
import { messageOf } from "../errors.ts";
import { type DeploymentModel, admissionsOf, nameOf, webhookSecretSuffix } from "../manifests/model.ts";
import type { Finding } from "./finding.ts";

interface ClientConfig {
  readonly url?: string;
  readonly service?: { readonly namespace: string; readonly name: string };
  readonly caBundle?: string;
}

interface Configuration {
  readonly webhooks?: readonly { readonly name: string; readonly clientConfig: ClientConfig }[];
}

const connectTimeoutMs = 5000;
const restart = "restart the manager: it writes its certificate and the configurations anew";

/** @param now milliseconds since 1970 */
export async function checkWebhooks(
  client: Client,
  model: DeploymentModel,
  options: { readonly now: number; readonly isDeployed: boolean },
): Promise<Finding[]> {
  const admissions = admissionsOf(model.operator);
  const names = { name: model.operator.name, reach: { url: "https://localhost" }, caBundlePem: "" };
  const findings: Finding[] = [];
  for (const { apiVersion, kind, metadata } of webhookConfigurations(admissions, names)) {
    const where = `${kind.toLowerCase()} ${metadata.name}`;
    const found = (await client.find({ apiVersion, kind } as never, metadata as never)) as
      | Configuration
      | undefined;
    if (found === undefined && options.isDeployed) {
      const what = "is not in the cluster: nothing is defaulted or refused by the operator";
      findings.push({ check: "webhook-missing", where, what, todo: restart });
    }
    // all entries of one configuration are reached the same way
    const config = found?.webhooks?.[0]?.clientConfig;
    if (config !== undefined)
      findings.push(...(await checkConfig(client, model, { config, where, ...options })));
  }
  return findings;
}

interface At {
  readonly config: ClientConfig;
  readonly where: string;
  readonly now: number;
}

async function checkConfig(client: Client, model: DeploymentModel, at: At): Promise<Finding[]> {
  const { config, where, now } = at;
  const pem = Buffer.from(config.caBundle ?? "", "base64").toString();
  const authorities = certificatesIn(pem);
  if (authorities.length === 0) {
    const what = "its caBundle holds no certificate, so the API server trusts nobody there";
    const todo = model.certManager ? "see whether cert-manager's cainjector runs" : restart;
    return [{ check: "webhook-ca-bundle", where, what, todo }];
  }
  if (authorities.every((each) => Date.parse(each.validTo) < now)) {
    const what = `its caBundle ran out on ${authorities.at(-1)?.validTo}`;
    return [{ check: "webhook-ca-expired", where, what, todo: restart }];
  }
  return config.service === undefined
    ? checkUrl(config.url ?? "", pem, where)
    : checkService(client, model, { ...at, authorities, service: config.service });
}

function certificatesIn(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  return blocks.flatMap((block) => {
    try {
      return [new X509Certificate(block)];
    } catch {
      return [];
    }
  });
}

/** A process outside of the cluster: as the API server does, from here. */
async function checkUrl(url: string, ca: string, where: string): Promise<Finding[]> {
  const { hostname, port } = new URL(url);
  const problem = await new Promise<string | undefined>((resolve) => {
    const socket = connect(
      // an IPv6 address stands in brackets in a URL, and without them elsewhere
      { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || 443), ca, timeout: connectTimeoutMs },
      () => {
        socket.destroy();
        resolve(undefined);
      },
    );
    socket.once("error", (error) => resolve(messageOf(error)));
    socket.once("timeout", () => {
      socket.destroy();
      resolve(`no answer within ${connectTimeoutMs / 1000} s`);
    });
  });
  if (problem === undefined) return [];
  const todo = "start the operator again, or delete the configuration: while it is there, writes are refused";
  return [
    { check: "webhook-unreachable", where, what: `${url} cannot be called from here: ${problem}`, todo },
  ];
}

async function checkService(
  client: Client,
  model: DeploymentModel,
  at: At & {
    readonly authorities: readonly X509Certificate[];
    readonly service: { readonly namespace: string; readonly name: string };
  },
): Promise<Finding[]> {
  const { where, service, authorities, now } = at;
  const { namespace, name } = service;
  const { items } = await client.list(EndpointSlice, {
    namespace,
    labelSelector: `kubernetes.io/service-name=${name}`,
  });
  const isReady = items.some(({ endpoints }) => endpoints?.some((each) => each.conditions?.ready !== false));
  const findings: Finding[] = isReady
    ? []
    : [
        {
          check: "webhook-unreachable",
          where,
          what: `the service ${namespace}/${name} has no ready pod behind it`,
          todo: `kubectl -n ${namespace} get service,endpointslices,pods shows which part is missing`,
        },
      ];
  const secretName = model.certManager
    ? nameOf(model, webhookSecretSuffix)
    : `${model.operator.name}-webhook-certificate`;
  const secret = await client.find(Secret, { namespace, name: secretName });
  const [served] = certificatesIn(Buffer.from(secret?.data?.["tls.crt"] ?? "", "base64").toString());
  if (served === undefined) return findings;
  if (Date.parse(served.validTo) < now) {
    const what = `the certificate in secret ${namespace}/${secretName} ran out on ${served.validTo}`;
    findings.push({ check: "webhook-certificate-expired", where, what, todo: restart });
  }
  if (!authorities.some((each) => served.checkIssued(each) && served.verify(each.publicKey))) {
    const what = `its caBundle did not sign the certificate in secret ${namespace}/${secretName}`;
    findings.push({ check: "webhook-ca-bundle", where, what, todo: restart });
  }
  return findings;
}

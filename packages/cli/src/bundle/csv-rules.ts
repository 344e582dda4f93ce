/** What a ClusterServiceVersion must be like. */
import type { Bundle, BundleObject } from "./read-bundle.ts";
import type { Report } from "./validate-bundle.ts";

type Fields = Readonly<Record<string, unknown>>;

interface OwnedKind {
  readonly name?: string;
  readonly version?: string;
  readonly kind?: string;
  readonly description?: string;
  readonly displayName?: string;
}

interface WebhookDescription {
  readonly type?: string;
  readonly generateName?: string;
  readonly deploymentName?: string;
  readonly webhookPath?: string;
  readonly sideEffects?: string;
  readonly admissionReviewVersions?: readonly string[];
  readonly conversionCRDs?: readonly string[];
}

interface DeploymentSpec {
  readonly name?: string;
  readonly spec?: {
    readonly selector?: { readonly matchLabels?: Readonly<Record<string, string>> };
    readonly template?: {
      readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
      readonly spec?: { readonly serviceAccountName?: string; readonly containers?: readonly Fields[] };
    };
  };
}

interface CsvSpec extends Fields {
  readonly version?: string;
  readonly minKubeVersion?: string;
  readonly install?: {
    readonly strategy?: string;
    readonly spec?: {
      readonly deployments?: readonly DeploymentSpec[];
      readonly permissions?: readonly { readonly serviceAccountName?: string }[];
      readonly clusterPermissions?: readonly { readonly serviceAccountName?: string }[];
    };
  };
  readonly installModes?: readonly { readonly type?: string; readonly supported?: boolean }[];
  readonly customresourcedefinitions?: { readonly owned?: readonly OwnedKind[] };
  readonly webhookdefinitions?: readonly WebhookDescription[];
  readonly relatedImages?: readonly { readonly name?: string; readonly image?: string }[];
}

// https://semver.org
const semver = /^(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-[0-9A-Za-z.-]+)?(?:\+[0-9A-Za-z.-]+)?$/;
const installModeTypes = ["OwnNamespace", "SingleNamespace", "MultiNamespace", "AllNamespaces"];
const webhookTypes = ["ValidatingAdmissionWebhook", "MutatingAdmissionWebhook", "ConversionWebhook"];
const capabilityLevels = [
  "Basic Install",
  "Seamless Upgrades",
  "Full Lifecycle",
  "Deep Insights",
  "Auto Pilot",
];

/** Reports what is wrong with the CSV itself, and where it does not fit the other manifests. */
export function checkCsv(csv: BundleObject, bundle: Bundle, report: Report): void {
  const spec = (csv.object["spec"] ?? {}) as CsvSpec;
  const at = (level: "error" | "warning", text: string): void => report(level, csv.file, text);
  checkVersion(csv, spec, at);
  checkForPeople(csv, spec, at);
  checkInstall(spec, bundle, at);
  checkInstallModes(spec, at);
  checkOwned(spec, bundle, at);
  checkExamples(csv, spec, at);
  checkWebhooks(spec, at);
  checkImages(spec, at);
}

type At = (level: "error" | "warning", text: string) => void;

function checkVersion(csv: BundleObject, { version, minKubeVersion }: CsvSpec, at: At): void {
  const { name = "" } = (csv.object["metadata"] ?? {}) as { name?: string };
  if (version === undefined || !semver.test(version)) {
    at("error", `spec.version ${JSON.stringify(version ?? "")} is not a semantic version like 1.2.0`);
  } else if (!name.endsWith(`.v${version}`)) {
    at("warning", `metadata.name ${name} should be the package, .v and the version: NAME.v${version}`);
  }
  if (minKubeVersion === undefined)
    at("warning", "spec.minKubeVersion is missing: OLM then installs on any Kubernetes");
  else if (!semver.test(minKubeVersion))
    at("error", `spec.minKubeVersion ${minKubeVersion} is not a semantic version`);
}

/** What a catalogue shows. */
function checkForPeople(csv: BundleObject, spec: CsvSpec, at: At): void {
  for (const field of ["displayName", "description", "keywords", "maintainers", "provider", "icon"]) {
    if (isEmpty(spec[field])) at("warning", `spec.${field} is missing: a catalogue shows it`);
  }
  const { annotations = {} } = (csv.object["metadata"] ?? {}) as { annotations?: Record<string, string> };
  const { capabilities } = annotations;
  if (capabilities !== undefined && !capabilityLevels.includes(capabilities)) {
    at("warning", `the annotation capabilities ${capabilities} is none of ${capabilityLevels.join(", ")}`);
  }
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === "object" && Object.values(value).every(isEmpty);
}

function checkInstall({ install }: CsvSpec, bundle: Bundle, at: At): void {
  if (install?.strategy !== "deployment") {
    return at(
      "error",
      `spec.install.strategy must be deployment, not ${JSON.stringify(install?.strategy ?? "")}`,
    );
  }
  const { deployments = [], permissions = [], clusterPermissions = [] } = install.spec ?? {};
  if (deployments.length === 0) at("error", "spec.install.spec.deployments is empty");
  const accounts = new Set([...permissions, ...clusterPermissions].map((each) => each.serviceAccountName));
  for (const { name = "", spec } of deployments) {
    if (name === "") at("error", "a deployment has no name");
    const labels = spec?.template?.metadata?.labels ?? {};
    const selected = Object.entries(spec?.selector?.matchLabels ?? {});
    if (selected.length === 0 || selected.some(([key, value]) => labels[key] !== value)) {
      at("error", `the selector of the deployment ${name} does not select its own pods`);
    }
    if ((spec?.template?.spec?.containers ?? []).length === 0)
      at("error", `the deployment ${name} has no containers`);
    const account = spec?.template?.spec?.serviceAccountName;
    if (account !== undefined && !accounts.has(account)) {
      at("warning", `the account ${account} of the deployment ${name} has no permissions`);
    }
  }
  for (const { file, object } of bundle.objects) {
    const { name } = (object["metadata"] ?? {}) as { name?: string };
    if (object["kind"] === "ServiceAccount" && accounts.has(name)) {
      at("error", `${file}: OLM makes the ServiceAccount ${name} itself, so the bundle must not have it`);
    }
  }
}

function checkInstallModes({ installModes = [], webhookdefinitions = [] }: CsvSpec, at: At): void {
  const types = installModes.map((mode) => mode.type ?? "");
  const unknown = types.filter((type) => !installModeTypes.includes(type));
  if (unknown.length > 0) at("error", `spec.installModes has the unknown types ${unknown.join(", ")}`);
  if (new Set(types).size !== types.length) at("error", "spec.installModes has a type twice");
  const isSupported = (type: string): boolean =>
    installModes.some((mode) => mode.type === type && mode.supported === true);
  if (!installModeTypes.some(isSupported))
    at("error", "spec.installModes supports none: OLM could not install it");
  const converts = webhookdefinitions.some(({ type }) => type === "ConversionWebhook");
  if (converts && !isSupported("AllNamespaces")) {
    at(
      "error",
      "conversion webhooks need the install mode AllNamespaces: a definition is there once per cluster",
    );
  }
}

function checkOwned({ customresourcedefinitions }: CsvSpec, bundle: Bundle, at: At): void {
  const owned = customresourcedefinitions?.owned ?? [];
  const ownedKeys = owned.map(({ name, version, kind }) => `${kind} ${version} (${name})`);
  const twice = ownedKeys.find((key, i) => ownedKeys.indexOf(key) !== i);
  if (twice !== undefined) at("error", `${twice} is owned twice`);
  const defined = bundle.objects
    .filter(({ object }) => object["kind"] === "CustomResourceDefinition")
    .flatMap(({ object }) => {
      const { name } = (object["metadata"] ?? {}) as { name?: string };
      const { names, versions = [] } = (object["spec"] ?? {}) as {
        names?: { kind?: string };
        versions?: { name?: string }[];
      };
      return versions.map((version) => `${names?.kind} ${version.name} (${name})`);
    });
  for (const key of ownedKeys) {
    if (!defined.includes(key)) at("error", `${key} is owned, but the bundle does not define it`);
  }
  for (const key of defined) {
    if (!ownedKeys.includes(key)) at("error", `${key} is defined in the bundle, but not owned in the CSV`);
  }
  for (const { kind, description, displayName } of owned) {
    if (isEmpty(description) || isEmpty(displayName))
      at("warning", `the owned kind ${kind} has no displayName and description`);
  }
}

function checkExamples(csv: BundleObject, { customresourcedefinitions }: CsvSpec, at: At): void {
  const { annotations = {} } = (csv.object["metadata"] ?? {}) as { annotations?: Record<string, string> };
  const text = annotations["alm-examples"];
  if (text === undefined)
    return at("warning", "the annotation alm-examples is missing: people see no example");
  let examples: unknown;
  try {
    examples = JSON.parse(text);
  } catch {
    return at("error", "the annotation alm-examples is no JSON");
  }
  if (!Array.isArray(examples)) return at("error", "the annotation alm-examples is not a list");
  const owned = (customresourcedefinitions?.owned ?? []).map(({ name = "", version, kind }) => {
    return `${name.replace(/^[^.]*\./, "")}/${version} ${kind}`;
  });
  const shown = (examples as Fields[]).map(({ apiVersion, kind }) => `${String(apiVersion)} ${String(kind)}`);
  for (const each of shown)
    if (!owned.includes(each)) at("error", `alm-examples has ${each}, which is not owned`);
  for (const each of owned)
    if (!shown.includes(each)) at("warning", `alm-examples has no example of ${each}`);
}

function checkWebhooks(spec: CsvSpec, at: At): void {
  const deployments = (spec.install?.spec?.deployments ?? []).map(({ name }) => name);
  const owned = (spec.customresourcedefinitions?.owned ?? []).map(({ name }) => name);
  const names = new Set<string>();
  for (const webhook of spec.webhookdefinitions ?? []) {
    const { type = "", generateName = "", deploymentName = "", webhookPath } = webhook;
    if (!webhookTypes.includes(type)) {
      at("error", `the webhook ${generateName} has the unknown type ${type}`);
    }
    if (generateName === "") at("error", "a webhook has no generateName");
    else if (names.has(`${type} ${generateName}`)) at("error", `the webhook ${generateName} is there twice`);
    names.add(`${type} ${generateName}`);
    if (!deployments.includes(deploymentName))
      at(
        "error",
        `the webhook ${generateName} is served by ${deploymentName}, which is no deployment of the CSV`,
      );
    if (webhookPath !== undefined && !webhookPath.startsWith("/"))
      at("error", `the path ${webhookPath} of the webhook ${generateName} must begin with /`);
    if ((webhook.admissionReviewVersions ?? []).length === 0)
      at("error", `the webhook ${generateName} has no admissionReviewVersions`);
    if (webhook.sideEffects === undefined)
      at("error", `the webhook ${generateName} does not say which sideEffects it has`);
    if (type !== "ConversionWebhook") continue;
    for (const crd of webhook.conversionCRDs ?? [""]) {
      if (!owned.includes(crd))
        at("error", `the webhook ${generateName} converts ${crd || "nothing"}, which is not owned`);
    }
  }
}

function checkImages({ relatedImages = [], install }: CsvSpec, at: At): void {
  const listed = new Set(relatedImages.map(({ image }) => image));
  const used = (install?.spec?.deployments ?? []).flatMap(({ spec }) =>
    (spec?.template?.spec?.containers ?? []).map((container) => container["image"]),
  );
  for (const image of used) {
    if (typeof image !== "string" || image === "") at("error", "a container has no image");
    else if (listed.size > 0 && !listed.has(image))
      at("warning", `the image ${image} is not among spec.relatedImages`);
  }
}

import { describe, expect, it } from "vitest";
import { GoTemplate } from "./go-template.ts";
import { type TemplatePlace, templateFunctions } from "./template-functions.ts";

const place: TemplatePlace = {
  now: () => 0,
  nodeIp: (node) => `ip-of-${node}`,
  podIp: (node, uid) => `${node}/${uid}`,
};
const data = {
  metadata: { name: "p", uid: "u" },
  spec: { nodeName: "n", containers: [{ name: "a", image: "x" }, { name: "b" }], hostNetwork: false },
};

function rendered(text: string): string {
  return new GoTemplate(text).render(data, templateFunctions(place, "n", "u"));
}

describe("Go templates", () => {
  it.each([
    ["plain", "plain"],
    ["{{ .metadata.name }}!", "p!"],
    ["{{ .no.such }}", "<no value>"],
    ["a {{- .metadata.name -}} b", "apb"],
    ["{{/* a comment */}}x", "x"],
    ['{{ "a \\"b\\"" }}{{ `c` }}{{ 12 }}{{ true }}', 'a "b"c12true'],
    ["{{ if .spec.hostNetwork }}yes{{ else }}no{{ end }}", "no"],
    ["{{ if .no }}1{{ else if .spec.nodeName }}2{{ else }}3{{ end }}", "2"],
    ["{{ with .spec }}{{ .nodeName }}{{ end }}{{ with .no }}x{{ else }}none{{ end }}", "nnone"],
    ["{{ range .spec.containers }}[{{ .name }}]{{ end }}", "[a][b]"],
    ["{{ range $i, $c := .spec.containers }}{{ $i }}{{ $c.name }} {{ end }}", "0a 1b "],
    ["{{ range .no }}x{{ else }}empty{{ end }}", "empty"],
    ["{{ range $k, $v := .metadata }}{{ $k }}={{ $v }};{{ end }}", "name=p;uid=u;"],
    [
      "{{ $root := . }}{{ range .spec.containers }}{{ $root.metadata.name }}{{ end }}{{ $.metadata.uid }}",
      "ppu",
    ],
    ["{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ end }}{{ $x }}", "2"],
    ["{{ $x := 1 }}{{ if true }}{{ $x := 2 }}{{ $x }}{{ end }}{{ $x }}", "21"],
    ["{{ (index .spec.containers 1).name }}", "b"],
    ['{{ index .metadata "name" | upper | printf "%s-%q" "a" }}', 'a-"P"'],
    ["{{ or .no .spec.hostNetwork .metadata.name }} {{ and 1 0 2 }}", "p 0"],
    ['{{ if and (eq .metadata.name "p") (not .no) (ne 1 2) (lt 1 2) (ge 2 2) }}ok{{ end }}', "ok"],
    ['{{ .no | default "d" }} {{ len .spec.containers }} {{ add 1 2 }}', "d 2 3"],
    [
      "{{ Now | Quote }} {{ NodeIP }} {{ NodeIPWith .spec.nodeName }}",
      '"1970-01-01T00:00:00Z" ip-of-n ip-of-n',
    ],
    [
      '{{ PodIPWith .spec.nodeName ( or .spec.hostNetwork false ) ( or .metadata.uid "" ) }} {{ PodIPWith "m" true "u" }}',
      "n/u ip-of-m",
    ],
    ["{{ YAML .metadata }}", "name: p\nuid: u\n"],
    ["a:{{ YAML .metadata 1 }}", "a:\n  name: p\n  uid: u\n  "],
    [
      "{{ Quote .spec.containers }} {{ Quote 1 }} {{ Quote .no }}",
      '"[{\\"name\\":\\"a\\",\\"image\\":\\"x\\"},{\\"name\\":\\"b\\"}]" "1" "null"',
    ],
    [
      "{{ range NodeConditions }}{{ .type }}={{ .status }} {{ end }}",
      "Ready=True MemoryPressure=False DiskPressure=False PIDPressure=False NetworkUnavailable=False ",
    ],
    [
      "{{ range $i := until 3 }}{{ mul $i 2 }}{{ end }} {{ div 7 2 }} {{ mod 7 2 }} {{ max 1 3 2 }}",
      "024 3 1 3",
    ],
    [
      '{{ trimPrefix "a-" "a-b" }} {{ trimSuffix "-b" "a-b" }} {{ trunc 2 "abc" }} {{ trunc -2 "abc" }}',
      "b a ab bc",
    ],
    ['{{ splitList "," "a,b" | join "-" }} {{ list 1 2 | last }} {{ has 1 (list 1 2) }}', "a-b 2 true"],
    [
      '{{ "x" | b64enc }}{{ "eA==" | b64dec }}{{ dict "k" 1 | toJson }}{{ get (dict "k" 1) "k" }}',
      'eA==x{"k":1}1',
    ],
    ["a{{ toYaml .metadata | nindent 2 }}", "a\n  name: p\n  uid: u"],
  ])("renders %s", (text, expected) => {
    expect(rendered(text)).toBe(expected);
  });

  it.each([
    ["{{ if .a }}", "has no end"],
    ["{{ end }}", "ends nothing"],
    ["{{ .a", "without }}"],
    ["{{ ( .a }}", "cannot be read"],
    ["{{ nothing }}", 'function "nothing" is not known'],
    ["{{ $x }}", "$x is not declared"],
    ["{{ .metadata.name 1 }}", "no function"],
    ["{{ | upper }}", "cannot be read"],
  ])("refuses %s", (text, why) => {
    expect(() => rendered(text)).toThrow(why);
  });
});

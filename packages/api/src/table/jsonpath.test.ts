import { describe, expect, it } from "vitest";
import { JsonPathError } from "./jsonpath-parser.ts";
import { parseColumnPath, parseJsonPath, parseRelaxedPath, printResults } from "./jsonpath.ts";

// Expected values are those of k8s.io/client-go 0.36 util/jsonpath.

const object = {
  kind: "List",
  n: 5,
  f: 1.5,
  big: 1e21,
  t: true,
  z: null,
  e: {},
  l: [],
  items: [
    { name: "a", v: 1, tags: ["x", "y"], ok: true, w: 1.5 },
    { name: "b", v: 2, tags: [], ok: false, nested: { name: "n" } },
    { name: "c", v: 3, extra: { d: "e f" } },
  ],
  m: { "a.b": "dot", "c/d": "slash", "x y": "sp" },
  users: [
    { name: "myself", user: {} },
    { name: "e2e", user: { username: "admin", password: "secret" } },
  ],
  labels: { app: "web" },
  deep: { a: { b: { c: "d" } } },
  nums: [0, 1, 2, 3, 4, 5],
  str: "hello",
  html: "<a&b>",
  u: "é",
};

interface Failure {
  readonly error: string;
}

function fails(error: string): Failure {
  return { error };
}

type Outcome = string | Failure;

/** Template, what it prints when missing keys are allowed, and when they are not if that differs. */
const templates: readonly (readonly [string, Outcome, Outcome?])[] = [
  ["", ""],
  ["hello", "hello"],
  [
    "{}",
    '{"big":1e+21,"deep":{"a":{"b":{"c":"d"}}},"e":{},"f":1.5,"html":"\\u003ca\\u0026b\\u003e","items":[{"name":"a","ok":true,"tags":["x","y"],"v":1,"w":1.5},{"name":"b","nested":{"name":"n"},"ok":false,"tags":[],"v":2},{"extra":{"d":"e f"},"name":"c","v":3}],"kind":"List","l":[],"labels":{"app":"web"},"m":{"a.b":"dot","c/d":"slash","x y":"sp"},"n":5,"nums":[0,1,2,3,4,5],"str":"hello","t":true,"u":"é","users":[{"name":"myself","user":{}},{"name":"e2e","user":{"password":"secret","username":"admin"}}],"z":null}',
  ],
  ["{.}", "", fails(" is not found")],
  [
    "{@}",
    '{"big":1e+21,"deep":{"a":{"b":{"c":"d"}}},"e":{},"f":1.5,"html":"\\u003ca\\u0026b\\u003e","items":[{"name":"a","ok":true,"tags":["x","y"],"v":1,"w":1.5},{"name":"b","nested":{"name":"n"},"ok":false,"tags":[],"v":2},{"extra":{"d":"e f"},"name":"c","v":3}],"kind":"List","l":[],"labels":{"app":"web"},"m":{"a.b":"dot","c/d":"slash","x y":"sp"},"n":5,"nums":[0,1,2,3,4,5],"str":"hello","t":true,"u":"é","users":[{"name":"myself","user":{}},{"name":"e2e","user":{"password":"secret","username":"admin"}}],"z":null}',
  ],
  [
    "{$}",
    '{"big":1e+21,"deep":{"a":{"b":{"c":"d"}}},"e":{},"f":1.5,"html":"\\u003ca\\u0026b\\u003e","items":[{"name":"a","ok":true,"tags":["x","y"],"v":1,"w":1.5},{"name":"b","nested":{"name":"n"},"ok":false,"tags":[],"v":2},{"extra":{"d":"e f"},"name":"c","v":3}],"kind":"List","l":[],"labels":{"app":"web"},"m":{"a.b":"dot","c/d":"slash","x y":"sp"},"n":5,"nums":[0,1,2,3,4,5],"str":"hello","t":true,"u":"é","users":[{"name":"myself","user":{}},{"name":"e2e","user":{"password":"secret","username":"admin"}}],"z":null}',
  ],
  ["{.kind}", "List"],
  ["{$.kind}", "List"],
  ["{@.kind}", "List"],
  ["{kind}", fails("unrecognized identifier kind")],
  ["{.n}", "5"],
  ["{.f}", "1.5"],
  ["{.big}", "1e+21"],
  ["{.t}", "true"],
  ["{.z}", "null"],
  ["{.e}", "{}"],
  ["{.l}", "[]"],
  ["{.str}", "hello"],
  ["{.html}", "<a&b>"],
  ["{.m}", '{"a.b":"dot","c/d":"slash","x y":"sp"}'],
  ["{.none}", "", fails("none is not found")],
  ["{.none.x}", "", fails("none is not found")],
  ["{.z.x}", "", fails("x is not found")],
  ["{.kind.x}", "", fails("x is not found")],
  [
    "{.items}",
    '[{"name":"a","ok":true,"tags":["x","y"],"v":1,"w":1.5},{"name":"b","nested":{"name":"n"},"ok":false,"tags":[],"v":2},{"extra":{"d":"e f"},"name":"c","v":3}]',
  ],
  ["{.items[0]}", '{"name":"a","ok":true,"tags":["x","y"],"v":1,"w":1.5}'],
  ["{.items[0].name}", "a"],
  ["{.items[*].name}", "a b c"],
  ["{.items[-1].name}", "c"],
  ["{.items[-3].name}", "a"],
  ["{.items[-4].name}", fails("array index out of bounds: index -1, length 3")],
  ["{.items[3]}", fails("array index out of bounds: index 3, length 3")],
  ["{.items[0:2].name}", "a b"],
  ["{.items[1:].name}", "b c"],
  ["{.items[:2].name}", "a b"],
  ["{.items[:].name}", "a b c"],
  ["{.items[::2].name}", "a c"],
  ["{.nums[0:6:2]}", "0 2 4"],
  ["{.nums[1:5:3]}", "1 4"],
  ["{.nums[-2:]}", "4 5"],
  ["{.nums[:-2]}", "0 1 2 3"],
  ["{.nums[2:1]}", fails("starting index 2 is greater than ending index 1")],
  ["{.nums[2:2]}", ""],
  ["{.nums[0:9]}", fails("array index out of bounds: index 8, length 6")],
  ["{.nums[0:3:0]}", fails("step must be > 0")],
  ["{.nums[0:3:-1]}", fails("step must be > 0")],
  ["{.nums[]}", "0"],
  ["{.nums[0,2]}", "0 2"],
  ["{.nums[0, 2 ,4]}", "0 2 4"],
  ["{.nums[*]}", "0 1 2 3 4 5"],
  ["{.items[0,2].name}", "a c"],
  ["{.items[*]['name','v']}", "a b c 1 2 3"],
  ["{.items[*]['name', 'v']}", "a b c 1 2 3"],
  ["{.items['name']}", "", fails("name is not found")],
  ["{['kind']}", "List"],
  ["{.['kind']}", "", fails(" is not found")],
  ["{.m['a.b']}", "", fails("a is not found")],
  ["{.m['a\\.b']}", "dot"],
  ["{.m.a\\.b}", "dot"],
  ["{.m.c/d}", "slash"],
  ["{.m['x y']}", fails("unrecognized identifier y"), fails("x is not found")],
  ["{.m.x\\ y}", "sp"],
  ["{.items[x]}", fails("invalid array index x")],
  ["{.items[-]}", fails("array index - is not a number")],
  ["{.kind[0]}", fails("string is not array or slice")],
  ["{.n[0]}", fails("int64 is not array or slice")],
  ["{.m[0]}", fails("map[string]interface {} is not array or slice")],
  ["{.t[0]}", fails("bool is not array or slice")],
  ["{.f[0]}", fails("float64 is not array or slice")],
  ["{.items..name}", "a b n c"],
  ["{.deep..c}", "d"],
  ["{.labels.*}", "web"],
  ["{.items.*.name}", "a b c"],
  ["{.items[?(@.name=='a')].v}", "1"],
  ['{.items[?(@.name=="a")].v}', "1"],
  ["{.items[?(@.v>1)].name}", "b c"],
  ["{.items[?(@.v>=2)].name}", "b c"],
  ["{.items[?(@.v<2)].name}", "a"],
  ["{.items[?(@.v<=2)].name}", "a b"],
  ["{.items[?(@.v!=2)].name}", "a c"],
  ["{.items[?(@.v==2)].name}", "b"],
  ["{.items[?(@.ok==true)].name}", "a", fails("ok is not found")],
  ["{.items[?(@.nested)].name}", "b"],
  ["{.items[?(@.nested.name)].name}", "b"],
  ["{.items[?(@.nested.name=='n')].name}", "b", fails("nested is not found")],
  ["{.items[?(@.none)].name}", ""],
  ["{.items[?(@.none=='x')].name}", "", fails("none is not found")],
  ["{.items[?(@.extra.d=='e f')].name}", "c", fails("extra is not found")],
  ["{.items[?(@.tags[0]=='x')].name}", fails("array index out of bounds: index 0, length 0")],
  ["{.items[?(@.v==1.5)].name}", fails("incompatible types for comparison")],
  ["{.items[?(@.w==1.5)].name}", "a", fails("w is not found")],
  ["{.items[?(@.v=='1')].name}", fails("incompatible types for comparison")],
  ["{.items[?(@.v~1)].name}", ""],
  ["{.items[?(@.v=!1)].name}", fails("unrecognized filter operator =!")],
  ["{.items[?(@.ok<true)].name}", fails("invalid type for comparison")],
  ["{.items[?(@.extra==1)].name}", fails("invalid type for comparison"), fails("extra is not found")],
  ['{.users[?(@.name=="e2e")].user.password}', "secret"],
  ["{.kind[?(@.a)]}", fails("List is not array or slice and cannot be filtered")],
  ["{.m[?(@.a)]}", fails("map[a.b:dot c/d:slash x y:sp] is not array or slice and cannot be filtered")],
  ["{range .items[*]}{.name}{end}", "abc"],
  ['{range .items[*]}{.name} {.v}{"\\n"}{end}', "a 1\nb 2\nc 3\n"],
  ['{range .items[*]}[{.name}, {.v}]{"\\t"}{end}done', "[a, 1]\t[b, 2]\t[c, 3]\tdone"],
  ['{range .items[*]}{range .tags[*]}{@}{","}{end}{";"}{end}', "x,y,;;;", fails("tags is not found")],
  ["{range .l[*]}{.name}{end}x", "x", fails("name is not found")],
  ["{range .items[*]}{.name}", "abc", fails("name is not found")],
  ["{end}", fails("not in range, nothing to end")],
  ["{range .none[*]}{.x}{end}", "", fails("none is not found")],
  ["{range .nums[*]}{@}{end}", "012345"],
  ["{range .items[?(@.v>1)]}{.name}{end}", "bc"],
  ["pre{.kind}post", "preListpost"],
  ["{.kind} {.n}", "List 5"],
  ["{.kind}{.n}", "List5"],
  ["{.kind", fails("unclosed action")],
  ["{.items[0", fails("unterminated array")],
  ["{.items[?(@.a", fails("unterminated filter")],
  ["{.items[?(@.a)", fails("unclosed array expect ]")],
  ["{'x'}", "x"],
  ['{"x"}', "x"],
  ["{'it\\'s'}", "it's"],
  ['{"a\\nb"}', "a\nb"],
  ['{"a\\qb"}', fails('unquote string "a\\qb" error invalid syntax')],
  ['{"x', fails("unterminated quoted string")],
  ["{'x\n'}", fails("unterminated quoted string")],
  ["{.a b}", fails("unrecognized identifier b"), fails("a is not found")],
  ["{.kind .n}", "", fails("n is not found")],
  ["{foo}", fails("unrecognized identifier foo")],
  ["{true}", "true"],
  ["{1}", "1"],
  ["{1.5}", "1.5"],
  ["{-1}", "-1"],
  ["{+1}", "1"],
  ["{1.2.3}", fails("cannot parse number 1.2.3")],
  ["{#}", fails("unrecognized character in action: U+0023 '#'")],
  ["{.kind!}", "", fails("kind! is not found")],
  ["{!}", fails("unrecognized character in action: U+0021 '!'")],
  ["{.items[*].tags}", '["x","y"] []'],
  ["{.items[*].tags[*]}", "x y"],
  ["{.items[*].tags[0]}", fails("array index out of bounds: index 0, length 0")],
  ["{.items[*].ok}", "true false"],
  ["{.items[*].w}", "1.5"],
  ["{.users[*].user}", '{} {"password":"secret","username":"admin"}'],
  ["{.deep}", '{"a":{"b":{"c":"d"}}}'],
  ["{.deep.a}", '{"b":{"c":"d"}}'],
  ["{.u}", "é"],
  ["{.items[0]['name']}", "a"],
  ["{.items[(@.length-1)]}", fails("invalid array index (@.length-1)")],
  ["{.items[*].nested.name}", "n"],
  ["{.items[0].name}{.items[1].name}", "ab"],
  ["{.items[:1].name}", "a"],
  ["{[0]}", fails("map[string]interface {} is not array or slice")],
  ['{.nums[1]}{" "}{.nums[2]}', "1 2"],
  ["{.nums[-1:]}", "5"],
  ["{.nums[5:6]}", "5"],
  ["{.nums[6:]}", ""],
  ["{.nums[-6]}", "0"],
  ["{.nums[-7]}", fails("array index out of bounds: index -1, length 6")],
];

function outcome(template: string, allowMissingKeys: boolean): Outcome {
  try {
    return parseJsonPath(template, { allowMissingKeys }).print(object);
  } catch (error) {
    if (error instanceof JsonPathError) return fails(error.message);
    throw error;
  }
}

describe("parseJsonPath", () => {
  for (const [template, lenient, strict = lenient] of templates) {
    it(`fills in ${JSON.stringify(template)}`, () => {
      expect(outcome(template, true)).toEqual(lenient);
      expect(outcome(template, false)).toEqual(strict);
    });
  }

  it("descends into everything, in the order of the members", () => {
    const value = { a: { name: "x", b: [{ name: "y" }, { c: { name: "z" } }] }, name: "w" };
    expect(parseJsonPath("{..name}").print(value)).toBe("w x y z");
    expect(parseJsonPath("{.a.*}").find({ a: { p: 1, q: [2] } })).toEqual([[1, [2]]]);
    expect(parseJsonPath("{..}").find({ a: { b: "c" } })).toEqual([[{ a: { b: "c" } }, { b: "c" }, "c"]]);
  });

  it("does not find inherited names", () => {
    expect(parseJsonPath("{.constructor}", { allowMissingKeys: true }).print({})).toBe("");
  });

  it("can be used for many objects", () => {
    const path = parseJsonPath("{range .items[*]}{.a}{end}", { allowMissingKeys: true });
    expect(path.print({ items: [{ a: 1 }, { a: 2 }] })).toBe("12");
    expect(path.print({ items: [] })).toBe("");
    expect(path.print({ items: [{ a: 3 }] })).toBe("3");
  });

  it("finds integers beyond the numbers", () => {
    expect(parseJsonPath("{.a}").print({ a: 9223372036854775807n })).toBe("9223372036854775807");
  });
});

describe("parseColumnPath", () => {
  it("finds what a printer column shows", () => {
    expect(parseColumnPath(".items[0].name").find(object)).toEqual([["a"]]);
    expect(parseColumnPath(".none.x").find(object)).toEqual([[]]);
    expect(printResults([{ b: 1, a: "<" }, [1, "x"], "y", true, null, 1.5])).toBe(
      '{"a":"\\u003c","b":1} [1,"x"] y true null 1.5',
    );
  });
});

describe("parseRelaxedPath", () => {
  for (const path of [".kind", "kind", "{.kind}", "{kind}"]) {
    it(`reads ${path}`, () => {
      expect(parseRelaxedPath(path).print(object)).toBe("List");
    });
  }
  for (const path of ["", "{}", "{.a}{.b}"]) {
    it(`refuses ${JSON.stringify(path)}`, () => {
      expect(() => parseRelaxedPath(path)).toThrow("unexpected path string");
    });
  }
});

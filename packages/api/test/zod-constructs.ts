import * as z from "zod";
import * as mini from "zod/mini";
import type { JsonSchema } from "../src/index.ts";
import * as k8s from "../src/kind/k8s.ts";

/** A construct with a structural form, and values that Zod accepts and refuses. */
export interface ExactConstruct {
  readonly name: string;
  readonly schema: z.ZodType;
  /** The structural schema, where it is worth reading. */
  readonly becomes?: JsonSchema;
  readonly accepts: readonly unknown[];
  readonly refuses: readonly unknown[];
}

const uuid = "0b54d0b9-38a1-4c3a-9b7e-5f4b0b0b0b0b";
/** A numeric enum as TypeScript compiles it, with the names of its values. */
const Level = { 1: "Low", 2: "High", Low: 1, High: 2 } as const;

/** Every construct of Zod's documentation that has a structural form. */
export const exactConstructs: readonly ExactConstruct[] = [
  // Primitives
  {
    name: "z.string()",
    schema: z.string(),
    becomes: { type: "string" },
    accepts: ["", "x"],
    refuses: [1, true, [], {}],
  },
  {
    name: "z.number()",
    schema: z.number(),
    becomes: { type: "number" },
    accepts: [0, 1.5, -3, 1e300],
    refuses: ["1", true, []],
  },
  {
    name: "z.int()",
    schema: z.int(),
    becomes: { type: "integer" },
    accepts: [0, -3, 4294967296],
    refuses: [1.5, "1"],
  },
  {
    name: "z.int32()",
    schema: z.int32(),
    becomes: { type: "integer", format: "int32" },
    accepts: [0, 2147483647, -2147483648],
    refuses: [2147483648, -2147483649, 1.5, "1"],
  },
  {
    name: "z.uint32()",
    schema: z.uint32(),
    becomes: { type: "integer", format: "int64", minimum: 0, maximum: 4294967295 },
    accepts: [0, 4294967295],
    refuses: [-1, 4294967296],
  },
  {
    name: "z.float32()",
    schema: z.float32(),
    becomes: { type: "number", format: "float" },
    accepts: [0.1, 3.4e38],
    refuses: [3.5e38],
  },
  {
    name: "z.float64()",
    schema: z.float64(),
    becomes: { type: "number", format: "double" },
    accepts: [0.1, 1e308],
    refuses: ["x"],
  },
  {
    name: "z.boolean()",
    schema: z.boolean(),
    becomes: { type: "boolean" },
    accepts: [true, false],
    refuses: [0, "true"],
  },
  {
    name: "z.unknown()",
    schema: z.unknown(),
    accepts: [1, "x", true, [1, "a"], { a: { b: 1 } }],
    refuses: [undefined],
  },
  { name: "z.any()", schema: z.any(), accepts: [1, { a: 1 }, null], refuses: [undefined] },
  // Numbers
  { name: ".min().max()", schema: z.number().min(1).max(3), accepts: [1, 2.5, 3], refuses: [0.9, 3.1] },
  {
    name: ".gt().lt()",
    schema: z.number().gt(1).lt(3),
    becomes: { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 3, exclusiveMaximum: true },
    accepts: [1.1, 2.9],
    refuses: [1, 3],
  },
  {
    name: "the stricter of several bounds",
    schema: z.number().gt(1).gte(1).gte(0).lt(5).lte(9).lte(5),
    becomes: { type: "number", minimum: 1, exclusiveMinimum: true, maximum: 5, exclusiveMaximum: true },
    accepts: [1.1, 4.9],
    refuses: [1, 5],
  },
  { name: ".positive()", schema: z.number().positive(), accepts: [0.1], refuses: [0, -1] },
  { name: ".nonnegative()", schema: z.number().nonnegative(), accepts: [0], refuses: [-1] },
  { name: ".negative()", schema: z.number().negative(), accepts: [-1], refuses: [0] },
  { name: ".nonpositive()", schema: z.number().nonpositive(), accepts: [0], refuses: [1] },
  { name: ".multipleOf()", schema: z.int().multipleOf(5), accepts: [0, 10, -5], refuses: [3] },
  {
    name: "two .multipleOf()",
    schema: z.int().multipleOf(2).multipleOf(3),
    accepts: [6, 12],
    refuses: [2, 3, 4],
  },
  {
    name: "z.number().int()",
    schema: z.number().int(),
    becomes: { type: "integer" },
    accepts: [3],
    refuses: [3.5],
  },
  // Strings
  {
    name: ".min().max() of strings",
    schema: z.string().min(2).max(3),
    accepts: ["ab", "abc"],
    refuses: ["a", "abcd"],
  },
  { name: ".length()", schema: z.string().length(2), accepts: ["ab"], refuses: ["a", "abc"] },
  { name: ".nonempty()", schema: z.string().nonempty(), accepts: ["a"], refuses: [""] },
  { name: ".regex()", schema: z.string().regex(/^a+$/), accepts: ["aa"], refuses: ["b", "ab", ""] },
  {
    name: "two .regex()",
    schema: z.string().regex(/^a/).regex(/b$/),
    becomes: { type: "string", pattern: "^a", allOf: [{ pattern: "b$" }] },
    accepts: ["ab", "axb"],
    refuses: ["a", "b"],
  },
  { name: "a regex that searches", schema: z.string().regex(/b/), accepts: ["abc"], refuses: ["ac"] },
  {
    name: "\\s of JavaScript",
    schema: z.string().regex(/^\s$/),
    accepts: [" ", "\u00a0", "\u2003", "\ufeff", "\v"],
    refuses: ["x"],
  },
  { name: "\\S of JavaScript", schema: z.string().regex(/^\S$/), accepts: ["x"], refuses: [" ", "\u00a0"] },
  {
    name: "\\S in a class",
    schema: z.string().regex(/^[\S]$/),
    accepts: ["x", "-"],
    refuses: [" ", "\u00a0", "\u3000"],
  },
  {
    name: "the dot of JavaScript",
    schema: z.string().regex(/^a.c$/),
    accepts: ["abc"],
    refuses: ["a\nc", "a\rc", "a\u2028c"],
  },
  { name: "the flag s", schema: z.string().regex(/^a.c$/s), accepts: ["abc", "a\nc"], refuses: ["ac"] },
  {
    name: "the flag u",
    schema: z.string().regex(/^\p{Lu}\p{Script=Greek}\u{1f600}$/u),
    accepts: ["A\u03b1\u{1f600}"],
    refuses: ["aa"],
  },
  {
    name: "named groups",
    schema: z.string().regex(/^(?<year>\d{4})-(?:x|y)$/),
    accepts: ["2026-x"],
    refuses: ["2026-z"],
  },
  {
    name: "escapes by number",
    schema: z.string().regex(new RegExp("^\\x41\\u0042\\cJ\\/\\-$")),
    accepts: ["AB\n/-"],
    refuses: ["AB"],
  },
  {
    name: "empty classes",
    schema: z.string().regex(new RegExp("^(?:[]|[^]b)$")),
    accepts: ["\nb"],
    refuses: ["", "b"],
  },
  { name: ".includes()", schema: z.string().includes("a.b"), accepts: ["xa.by"], refuses: ["axb"] },
  {
    name: ".includes() from a position",
    schema: z.string().includes("a", { position: 2 }),
    accepts: ["xxa", "a\n\na"],
    refuses: ["axx"],
  },
  { name: ".startsWith()", schema: z.string().startsWith("a+"), accepts: ["a+b"], refuses: ["aab", "xa+"] },
  { name: ".endsWith()", schema: z.string().endsWith("$"), accepts: ["a$"], refuses: ["a$b"] },
  { name: ".lowercase()", schema: z.string().lowercase(), accepts: ["ab1"], refuses: ["aB"] },
  { name: ".uppercase()", schema: z.string().uppercase(), accepts: ["AB1"], refuses: ["aB"] },
  // String formats
  {
    name: "z.email()",
    schema: z.email(),
    accepts: ["a@b.co", "a.b+c@x-y.example.com"],
    refuses: ["a", "a@b", ".a@b.co", "a..b@c.de", "a@b.c"],
  },
  {
    name: "z.uuid()",
    schema: z.uuid(),
    accepts: [uuid],
    refuses: ["x", uuid.replaceAll("-", ""), `${uuid}0`],
  },
  { name: "z.uuidv4()", schema: z.uuidv4(), accepts: [uuid], refuses: [uuid.replace("-4", "-1")] },
  { name: "z.guid()", schema: z.guid(), accepts: [uuid, uuid.replace("-4", "-f")], refuses: ["x"] },
  { name: "z.nanoid()", schema: z.nanoid(), accepts: ["V1StGXR8_Z5jdHi6B-myT"], refuses: ["V1StGXR8"] },
  { name: "z.cuid2()", schema: z.cuid2(), accepts: ["tz4a98xxat96iws9zmbrgj3a"], refuses: ["A b"] },
  {
    name: "z.ulid()",
    schema: z.ulid(),
    accepts: ["01ARZ3NDEKTSV4RRFFQ69G5FAV"],
    refuses: ["01ARZ3NDEKTSV4RRFFQ69G5FAU!"],
  },
  { name: "z.xid()", schema: z.xid(), accepts: ["9m4e2mr0ui3e8a215n4g"], refuses: ["9m4e2mr0ui3e8a215n4z"] },
  { name: "z.ksuid()", schema: z.ksuid(), accepts: ["0o5Fs0EELR0fUjHjbCnEtdUwQe3"], refuses: ["0o5F"] },
  {
    name: "z.ipv4()",
    schema: z.ipv4(),
    accepts: ["0.0.0.0", "255.1.2.3"],
    refuses: ["1.2.3", "256.1.1.1", "01.2.3.4", "::1"],
  },
  {
    name: "z.ipv6()",
    schema: z.ipv6(),
    accepts: ["::1", "2001:db8::8a2e:370:7334", "::"],
    refuses: ["1.2.3.4", ":::", "g::1"],
  },
  { name: "z.cidrv4()", schema: z.cidrv4(), accepts: ["10.0.0.0/8"], refuses: ["10.0.0.0", "10.0.0.0/33"] },
  {
    name: "z.cidrv6()",
    schema: z.cidrv6(),
    accepts: ["2001:db8::/32"],
    refuses: ["2001:db8::/129", "10.0.0.0/8"],
  },
  {
    name: "z.mac()",
    schema: z.mac(),
    accepts: ["00:1a:2b:3c:4d:5e"],
    refuses: ["00-1a-2b-3c-4d-5e", "00:1a"],
  },
  { name: "z.e164()", schema: z.e164(), accepts: ["+15551234567"], refuses: ["15551234567", "+0555123456"] },
  { name: "z.base64()", schema: z.base64(), accepts: ["", "YQ==", "YWI="], refuses: ["YQ=", "a?=="] },
  { name: "z.base64url()", schema: z.base64url(), accepts: ["YQ", "_-_-"], refuses: ["YQ==", "+"] },
  { name: "z.hex()", schema: z.hex(), accepts: ["", "0aF"], refuses: ["g"] },
  {
    name: 'z.hash("sha256")',
    schema: z.hash("sha256"),
    accepts: ["a".repeat(64)],
    refuses: ["a".repeat(63), "g".repeat(64)],
  },
  {
    name: "z.hostname()",
    schema: z.hostname(),
    accepts: ["a", "a-b.example.com", "example.com.", `${"a.".repeat(126)}a`, `${"a.".repeat(126)}a.`],
    refuses: ["-a", "a..b", "a_b", "", `${"a.".repeat(127)}a`],
  },
  {
    name: "z.iso.datetime()",
    schema: z.iso.datetime(),
    accepts: ["2026-12-01T03:35:43Z", "2024-02-29T23:59:59.999Z"],
    refuses: ["2026-12-01T03:35:43+01:00", "2026-12-01", "2023-02-29T00:00:00Z", "2026-12-01T03:35:43"],
  },
  {
    name: "z.iso.datetime({ offset: true })",
    schema: z.iso.datetime({ offset: true }),
    accepts: ["2026-12-01T03:35:43+01:00", "2026-12-01T03:35:43Z"],
    refuses: ["2026-12-01T03:35:43"],
  },
  {
    name: "z.iso.datetime({ local: true })",
    schema: z.iso.datetime({ local: true }),
    accepts: ["2026-12-01T03:35:43", "2026-12-01T03:35"],
    refuses: ["2026-12-01"],
  },
  {
    name: "z.iso.date()",
    schema: z.iso.date(),
    accepts: ["2026-12-01"],
    refuses: ["2026-13-01", "2026-2-1", "2023-02-29"],
  },
  {
    name: "z.iso.time()",
    schema: z.iso.time(),
    accepts: ["03:35", "03:35:43.5"],
    refuses: ["25:00", "3:35"],
  },
  {
    name: "z.iso.duration()",
    schema: z.iso.duration(),
    accepts: ["P1Y", "P1Y2M3DT4H5M6S", "PT36H", "P2W", "PT0.5S", "P1DT1M", "P3M1D"],
    refuses: ["P", "PT", "P1YT", "1Y", "P1W1D", "P1S", "P1D1M"],
  },
  {
    name: "z.stringFormat() of a regex",
    schema: z.stringFormat("colour", /^#[0-9a-f]{6}$/),
    accepts: ["#00ff00"],
    refuses: ["00ff00"],
  },
  {
    name: "z.templateLiteral()",
    schema: z.templateLiteral([z.int32().min(0), z.enum(["px", "em"])]),
    accepts: ["12px", "3em"],
    refuses: ["px", "12", "12pt"],
  },
  // Literals and enums
  {
    name: 'z.literal("a")',
    schema: z.literal("a"),
    becomes: { type: "string", enum: ["a"] },
    accepts: ["a"],
    refuses: ["b", 1],
  },
  {
    name: "z.literal(5)",
    schema: z.literal(5),
    becomes: { type: "integer", enum: [5] },
    accepts: [5],
    refuses: [6, "5"],
  },
  { name: "z.literal(true)", schema: z.literal(true), accepts: [true], refuses: [false] },
  { name: "z.literal of several", schema: z.literal(["a", "b"]), accepts: ["a", "b"], refuses: ["c"] },
  { name: "z.literal with null", schema: z.literal(["a", null]), accepts: ["a", null], refuses: ["b"] },
  {
    name: "z.enum()",
    schema: z.enum(["a", "b"]),
    becomes: { type: "string", enum: ["a", "b"] },
    accepts: ["a", "b"],
    refuses: ["c"],
  },
  { name: "z.enum() of an object", schema: z.enum({ A: "a", B: "b" }), accepts: ["a"], refuses: ["A"] },
  {
    name: "z.enum() of a TypeScript enum",
    schema: z.enum(Level),
    becomes: { type: "integer", enum: [1, 2] },
    accepts: [1, 2],
    refuses: [3, "Low"],
  },
  { name: ".exclude()", schema: z.enum(["a", "b"]).exclude(["b"]), accepts: ["a"], refuses: ["b"] },
  // Nullable
  {
    name: ".nullable()",
    schema: z.string().nullable(),
    becomes: { type: "string", nullable: true },
    accepts: ["a", null],
    refuses: [1],
  },
  { name: "a nullable enum", schema: z.enum(["a", "b"]).nullable(), accepts: ["a", null], refuses: ["c"] },
  {
    name: "a nullable with constraints",
    schema: z.int().min(3).nullable(),
    accepts: [3, null],
    refuses: [2],
  },
  {
    name: "a nullable object",
    schema: z.object({ a: z.string() }).nullable(),
    accepts: [{ a: "x" }, null],
    refuses: [{}],
  },
  // Optional and defaults
  { name: ".optional()", schema: z.string().optional(), accepts: [undefined, "a"], refuses: [1] },
  { name: ".exactOptional()", schema: z.string().exactOptional(), accepts: [undefined, "a"], refuses: [1] },
  { name: ".nullish()", schema: z.string().nullish(), accepts: [undefined, "a", null], refuses: [1] },
  {
    name: ".nonoptional()",
    schema: z.string().optional().nonoptional(),
    accepts: ["a"],
    refuses: [undefined],
  },
  {
    name: ".default()",
    schema: z.int32().default(3),
    becomes: { type: "integer", format: "int32", default: 3 },
    accepts: [undefined, 4],
    refuses: ["x"],
  },
  {
    name: ".default() of an object",
    schema: z.object({ a: z.int().default(1), b: z.string() }).default({ a: 2, b: "x" }),
    accepts: [undefined, { b: "y" }],
    refuses: [{}],
  },
  {
    name: ".prefault()",
    schema: z.object({ a: z.int().default(1) }).prefault({}),
    accepts: [undefined, {}, { a: 5 }],
    refuses: [{ a: "x" }],
  },
  {
    name: "nested defaults",
    schema: z.object({ a: z.object({ b: z.int().default(1) }).prefault({}) }),
    accepts: [{}, { a: {} }, { a: { b: 2 } }],
    refuses: [{ a: 1 }],
  },
  {
    name: "a default in items",
    schema: z.array(z.object({ a: z.int().default(1) })),
    accepts: [[], [{}], [{ a: 2 }, {}]],
    refuses: [[1]],
  },
  // Objects
  {
    name: "z.object()",
    schema: z.object({ a: z.string(), b: z.int().optional() }),
    becomes: {
      type: "object",
      required: ["a"],
      properties: { a: { type: "string" }, b: { type: "integer" } },
    },
    accepts: [{ a: "x" }, { a: "x", b: 1 }, { a: "x", unknown: 1 }],
    refuses: [{}, { a: 1 }, "x", []],
  },
  { name: "z.object({})", schema: z.object({}), accepts: [{}, { a: 1 }], refuses: ["x"] },
  {
    name: "z.looseObject()",
    schema: z.looseObject({ a: z.string() }),
    accepts: [{ a: "x", b: { c: 1 } }],
    refuses: [{ b: 1 }],
  },
  {
    name: ".catchall(z.unknown())",
    schema: z.object({ a: z.string() }).catchall(z.unknown()),
    accepts: [{ a: "x", b: 1 }],
    refuses: [{}],
  },
  {
    name: "z.object({}).catchall(z.int())",
    schema: z.object({}).catchall(z.int()),
    accepts: [{ a: 1 }],
    refuses: [{ a: "x" }],
  },
  {
    name: ".extend()",
    schema: z.object({ a: z.string() }).extend({ b: z.int() }),
    accepts: [{ a: "x", b: 1 }],
    refuses: [{ a: "x" }],
  },
  {
    name: ".pick()",
    schema: z.object({ a: z.string(), b: z.int() }).pick({ a: true }),
    accepts: [{ a: "x" }],
    refuses: [{}],
  },
  {
    name: ".omit()",
    schema: z.object({ a: z.string(), b: z.int() }).omit({ a: true }),
    accepts: [{ b: 1 }],
    refuses: [{}],
  },
  {
    name: ".partial()",
    schema: z.object({ a: z.string() }).partial(),
    accepts: [{}, { a: "x" }],
    refuses: [{ a: 1 }],
  },
  {
    name: ".required()",
    schema: z.object({ a: z.string().optional() }).required(),
    accepts: [{ a: "x" }],
    refuses: [{}],
  },
  {
    name: ".keyof()",
    schema: z.object({ a: z.string(), b: z.int() }).keyof(),
    accepts: ["a", "b"],
    refuses: ["c"],
  },
  {
    name: "a getter",
    schema: z.object({
      get a() {
        return z.string();
      },
    }),
    accepts: [{ a: "x" }],
    refuses: [{}],
  },
  // Lists
  {
    name: "z.array()",
    schema: z.array(z.int()),
    becomes: { type: "array", items: { type: "integer" } },
    accepts: [[], [1, 2]],
    refuses: [["x"], {}, [null]],
  },
  {
    name: ".min().max() of lists",
    schema: z.array(z.int()).min(1).max(2),
    accepts: [[1], [1, 2]],
    refuses: [[], [1, 2, 3]],
  },
  { name: ".length() of lists", schema: z.array(z.int()).length(2), accepts: [[1, 2]], refuses: [[1]] },
  { name: ".nonempty() of lists", schema: z.array(z.int()).nonempty(), accepts: [[1]], refuses: [[]] },
  {
    name: "lists of lists",
    schema: z.array(z.array(z.string().min(1))),
    accepts: [[["a"], []]],
    refuses: [[[""]]],
  },
  {
    name: "items that may be null",
    schema: z.array(z.string().nullable()),
    accepts: [["a", null]],
    refuses: [[1]],
  },
  // Records
  {
    name: "z.record()",
    schema: z.record(z.string(), z.int()),
    becomes: { type: "object", additionalProperties: { type: "integer" } },
    accepts: [{}, { a: 1 }],
    refuses: [{ a: "x" }, []],
  },
  {
    name: "z.record() of unknown",
    schema: z.record(z.string(), z.unknown()),
    accepts: [{ a: { b: 1 } }],
    refuses: [1],
  },
  {
    name: "z.record() with a key pattern",
    schema: z
      .record(
        z
          .string()
          .max(10)
          .regex(/^[a-z]+$/),
        z.int(),
      )
      .check(k8s.maxProperties(20)),
    accepts: [{ abc: 1 }],
    refuses: [{ A: 1 }, { abcdefghijk: 1 }],
  },
  {
    name: "z.record() of an enum",
    schema: z.record(z.enum(["a", "b"]), z.int()),
    accepts: [{ a: 1, b: 2 }],
    refuses: [{ a: 1 }, { a: 1, b: 2, c: 3 }],
  },
  {
    name: "z.partialRecord()",
    schema: z.partialRecord(z.enum(["a", "b"]), z.int()),
    accepts: [{}, { a: 1 }],
    refuses: [{ c: 3 }, { a: "x" }],
  },
  // Unions
  {
    name: "a union of literals",
    schema: z.union([z.literal("a"), z.literal("b")]),
    becomes: { type: "string", enum: ["a", "b"] },
    accepts: ["a", "b"],
    refuses: ["c"],
  },
  {
    name: "a union of strings",
    schema: z.union([z.string().max(2), z.string().regex(/^x/)]),
    accepts: ["ab", "xyz"],
    refuses: ["abc"],
  },
  {
    name: "a union with a free option",
    schema: z.union([z.literal("auto"), z.string()]),
    becomes: { type: "string" },
    accepts: ["auto", "x"],
    refuses: [1],
  },
  { name: "a union with null", schema: z.union([z.string(), z.null()]), accepts: ["a", null], refuses: [1] },
  {
    name: "a union with undefined",
    schema: z.union([z.string(), z.undefined()]),
    accepts: ["a"],
    refuses: [1, undefined],
  },
  {
    name: "an integer or a string",
    schema: z.union([z.int(), z.string()]),
    accepts: [1, "x"],
    refuses: [1.5, true, []],
  },
  {
    name: "a bounded integer or a word",
    schema: z.union([z.int().min(1).max(9), z.enum(["auto", "none"])]),
    accepts: [1, 9, "auto"],
    refuses: [0, 10, "x", ""],
  },
  {
    name: "an int32 or a pattern",
    schema: z.union([z.string().regex(/^\d+%$/), z.int32()]),
    accepts: ["50%", 3],
    refuses: ["50", 2147483648],
  },
  {
    name: "z.xor() of strings",
    schema: z.xor([z.string().startsWith("a"), z.string().endsWith("b")]),
    accepts: ["ax", "xb"],
    refuses: ["ab", "x"],
  },
  { name: "z.string().or()", schema: z.string().or(z.null()), accepts: ["a", null], refuses: [1] },
  {
    name: "z.discriminatedUnion()",
    schema: z.discriminatedUnion("type", [
      z.object({ type: z.literal("http"), port: z.int32(), path: z.string().optional() }),
      z.object({ type: z.literal("exec"), command: z.array(z.string()) }),
      z.object({ type: z.enum(["none", "off"]) }),
    ]),
    accepts: [
      { type: "http", port: 1 },
      { type: "http", port: 1, path: "/" },
      { type: "exec", command: [] },
      { type: "none" },
      { type: "off" },
    ],
    refuses: [{}, { type: "http" }, { type: "exec" }, { type: "other" }, { type: "http", port: "x" }],
  },
  {
    name: "z.discriminatedUnion() with a shared field",
    schema: z.discriminatedUnion("kind", [
      z.object({ kind: z.literal(1), name: z.string() }),
      z.object({ kind: z.literal(2), name: z.string(), size: z.int() }),
    ]),
    accepts: [
      { kind: 1, name: "a" },
      { kind: 2, name: "a", size: 1 },
    ],
    refuses: [{ kind: 1 }, { kind: 2, name: "a" }, { kind: 3, name: "a" }],
  },
  {
    name: "nested z.discriminatedUnion()",
    schema: z.discriminatedUnion("type", [
      z.discriminatedUnion("type", [
        z.object({ type: z.literal("a"), x: z.int() }),
        z.object({ type: z.literal("b") }),
      ]),
      z.object({ type: z.literal("c") }),
    ]),
    accepts: [{ type: "a", x: 1 }, { type: "b" }, { type: "c" }],
    refuses: [{ type: "a" }, { type: "d" }],
  },
  // Intersections
  {
    name: "z.intersection() of objects",
    schema: z.intersection(z.object({ a: z.string() }), z.object({ b: z.int() })),
    accepts: [{ a: "x", b: 1 }],
    refuses: [{ a: "x" }],
  },
  {
    name: ".and() of strings",
    schema: z.string().min(2).and(z.string().regex(/^a/)),
    accepts: ["ab"],
    refuses: ["a", "bb"],
  },
  // Wrappers
  { name: ".readonly()", schema: z.array(z.int()).readonly(), accepts: [[1]], refuses: [["x"]] },
  { name: ".brand()", schema: z.string().min(1).brand("Name"), accepts: ["a"], refuses: [""] },
  { name: "z.lazy()", schema: z.lazy(() => z.string().min(1)), accepts: ["a"], refuses: [""] },
  {
    name: ".check(z.minLength())",
    schema: z.string().check(z.minLength(2)),
    accepts: ["ab"],
    refuses: ["a"],
  },
  // zod/mini
  {
    name: "zod/mini",
    schema: mini.object({
      a: mini.optional(mini.string().check(mini.minLength(2))),
      b: mini._default(mini.int(), 3),
    }) as never,
    accepts: [{}, { a: "ab" }, { b: 4 }],
    refuses: [{ a: "a" }, { b: "x" }],
  },
  // Ours
  {
    name: "k8s.quantity()",
    schema: k8s.quantity(),
    accepts: ["1Gi", "500m", "1.5", "1e3", 3],
    refuses: ["1 Gi", "x", "", 1.5],
  },
  { name: "k8s.intOrString()", schema: k8s.intOrString(), accepts: [80, "http"], refuses: [1.5, true] },
  {
    name: "k8s.int64()",
    schema: k8s.int64(),
    becomes: { type: "integer", format: "int64" },
    accepts: [4294967296],
    refuses: [1.5],
  },
  {
    name: "k8s.duration()",
    schema: k8s.duration(),
    accepts: ["1h30m", "500ms", "0", "-1.5s"],
    refuses: ["1d", "1", ""],
  },
  {
    name: "k8s.dateTime()",
    schema: k8s.dateTime(),
    accepts: ["2026-12-01T03:35:43Z", "2026-12-01T03:35:43.5+01:00"],
    refuses: ["2026-12-01", "x"],
  },
  {
    name: "k8s.listMap()",
    schema: k8s.listMap(z.object({ name: z.string(), port: z.int().optional() }), "name"),
    accepts: [[], [{ name: "a" }, { name: "b" }]],
    refuses: [[{ name: "a" }, { name: "a", port: 1 }], [{}]],
  },
  { name: "k8s.set()", schema: k8s.set(z.string()), accepts: [["a", "b"]], refuses: [["a", "a"], [1]] },
  {
    name: "k8s.atomic() lists",
    schema: z.array(z.int()).check(k8s.atomic()),
    becomes: { type: "array", items: { type: "integer" }, "x-kubernetes-list-type": "atomic" },
    accepts: [[1, 1]],
    refuses: [["x"]],
  },
  {
    name: "k8s.minProperties()",
    schema: z.record(z.string(), z.int()).check(k8s.minProperties(1), k8s.maxProperties(2)),
    accepts: [{ a: 1 }],
    refuses: [{}, { a: 1, b: 1, c: 1 }],
  },
  {
    name: "k8s.exactlyOneOf()",
    schema: z.object({ a: z.int().optional(), b: z.int().optional() }).check(k8s.exactlyOneOf("a", "b")),
    accepts: [{ a: 1 }, { b: 1 }],
    refuses: [{}, { a: 1, b: 1 }],
  },
  {
    name: "k8s.atMostOneOf()",
    schema: z.object({ a: z.int().optional(), "b-c": z.int().optional() }).check(k8s.atMostOneOf("a", "b-c")),
    accepts: [{}, { a: 1 }],
    refuses: [{ a: 1, "b-c": 1 }],
  },
  {
    name: "k8s.atLeastOneOf()",
    schema: z.object({ a: z.int().optional(), b: z.int().optional() }).check(k8s.atLeastOneOf("a", "b")),
    accepts: [{ a: 1 }, { a: 1, b: 1 }],
    refuses: [{}],
  },
  {
    name: "k8s.labelSelector()",
    schema: k8s.labelSelector(),
    accepts: [
      {},
      { matchLabels: { a: "b" } },
      { matchExpressions: [{ key: "a", operator: "In", values: ["b"] }] },
    ],
    refuses: [{ matchLabels: { a: 1 } }, { matchExpressions: [{}] }],
  },
  {
    name: "k8s.localObjectReference()",
    schema: k8s.localObjectReference(),
    accepts: [{ name: "a" }],
    refuses: [{}, { name: "" }],
  },
  {
    name: "k8s.objectReference()",
    schema: k8s.objectReference(),
    accepts: [{}, { kind: "Pod", name: "a" }],
    refuses: [{ name: 1 }],
  },
  {
    name: "k8s.typedLocalObjectReference()",
    schema: k8s.typedLocalObjectReference(),
    accepts: [{ kind: "Pod", name: "a" }],
    refuses: [{ name: "a" }],
  },
  {
    name: "k8s.secretKeySelector()",
    schema: k8s.secretKeySelector(),
    accepts: [{ name: "a", key: "b" }],
    refuses: [{ name: "a" }],
  },
  {
    name: "k8s.conditions()",
    schema: k8s.conditions(),
    accepts: [
      undefined,
      [],
      [
        {
          type: "Ready",
          status: "True",
          lastTransitionTime: "2026-12-01T03:35:43Z",
          reason: "Up",
          message: "",
        },
      ],
    ],
    refuses: [
      [{ type: "Ready" }],
      [
        {
          type: "Ready",
          status: "true",
          lastTransitionTime: "2026-12-01T03:35:43Z",
          reason: "Up",
          message: "",
        },
      ],
    ],
  },
];

/** Every construct of Zod's documentation that has none: where the definition fails, and part of what it says. */
export const refusedConstructs: (readonly [name: string, schema: z.ZodType, path: string, says: string])[] = [
  ["z.bigint()", z.bigint(), "spec.value", "k8s.int64()"],
  ["z.int64()", z.int64(), "spec.value", "k8s.int64()"],
  ["z.symbol()", z.symbol(), "spec.value", "no JSON"],
  ["z.undefined()", z.undefined(), "spec.value", ".optional()"],
  ["z.void()", z.void(), "spec.value", ".optional()"],
  ["z.null()", z.null(), "spec.value", ".nullable()"],
  ["z.never()", z.never(), "spec.value", "leave the field out"],
  ["z.nan()", z.nan(), "spec.value", "no JSON"],
  ["z.date()", z.date(), "spec.value", "k8s.dateTime()"],
  ["z.tuple()", z.tuple([z.string(), z.int()]), "spec.value", "use an object"],
  ["z.map()", z.map(z.string(), z.int()), "spec.value", "z.record"],
  ["z.set()", z.set(z.string()), "spec.value", "k8s.set(item)"],
  ["z.file()", z.file(), "spec.value", "no JSON"],
  ["z.custom()", z.custom<string>(), "spec.value", "k8s.raw"],
  ["z.instanceof()", z.instanceof(Error), "spec.value", "k8s.raw"],
  ["z.function()", z.object({ f: z.any() }).extend({ f: z.custom<() => void>() }), "spec.value.f", "k8s.raw"],
  ["z.promise()", z.promise(z.string()), "spec.value", "no JSON"],
  [".transform()", z.string().transform((text) => text.length), "spec.value", "convert in the controller"],
  [".pipe()", z.string().pipe(z.string()), "spec.value", "convert in the controller"],
  ["z.preprocess()", z.preprocess((value) => value, z.string()), "spec.value", "z.preprocess()"],
  ["z.codec()", z.codec(z.string(), z.int(), { decode: Number, encode: String }), "spec.value", "z.codec()"],
  ["z.stringbool()", z.stringbool(), "spec.value", "change values"],
  [".catch()", z.string().catch("x"), "spec.value", ".default(value)"],
  ["z.coerce.number()", z.coerce.number(), "spec.value", "use the plain schema"],
  [".trim()", z.string().trim(), "spec.value", ".regex()"],
  [".toLowerCase()", z.string().toLowerCase(), "spec.value", ".regex()"],
  [".normalize()", z.string().normalize(), "spec.value", ".regex()"],
  [".refine()", z.string().refine((text) => text.length > 1), "spec.value", "k8s.rule("],
  [".superRefine()", z.string().superRefine(() => {}), "spec.value", "k8s.rule("],
  [".check() of a function", z.string().check(() => {}), "spec.value", "k8s.rule("],
  [
    ".refine() deep inside",
    z.array(
      z.object({
        a: z.record(
          z.string(),
          z.int().refine(() => true),
        ),
      }),
    ),
    "spec.value[].a{}",
    "k8s.rule(",
  ],
  ["z.strictObject()", z.strictObject({ a: z.string() }), "spec.value", "z.object()"],
  ["known fields with a catchall", z.object({ a: z.string() }).catchall(z.int()), "spec.value", "z.record()"],
  ["z.looseRecord()", z.looseRecord(z.string().regex(/a/), z.int()), "spec.value", "z.record()"],
  ["records keyed by numbers", z.record(z.number(), z.int()), "spec.value{key}", "z.string()"],
  ["recursion by getter", recursive(), "spec.value.children[]", "contains itself"],
  ["recursion by z.lazy()", recursiveLazy(), "spec.value.next", "contains itself"],
  [
    "a union of objects",
    z.union([z.object({ a: z.int() }), z.object({ b: z.int() })]),
    "spec.value",
    "z.discriminatedUnion()",
  ],
  ["a union of types", z.union([z.string(), z.boolean()]), "spec.value", "k8s.intOrString()"],
  ["a number or a string", z.union([z.number(), z.string()]), "spec.value", "k8s.intOrString()"],
  ["z.json()", z.json(), "spec.value", "contains itself"],
  ["an enum of several types", z.literal(["a", 1]), "spec.value", "one type"],
  ["a literal undefined", z.literal(["a", undefined]), "spec.value", ".optional()"],
  ["an intersection of types", z.intersection(z.string(), z.int()), "spec.value", "write one schema"],
  [
    "an intersection with different fields of one name",
    z.intersection(z.object({ a: z.string() }), z.object({ a: z.string().min(1) })),
    "spec.value.a",
    "different schemas",
  ],
  ["the flag i", z.string().regex(/a/i), "spec.value", "[Aa]"],
  ["the flag m", z.string().regex(/^a$/m), "spec.value", "flag m"],
  ["a lookahead", z.string().regex(/^(?!a)/), "spec.value", "lookaround"],
  ["a lookbehind", z.string().regex(/(?<=a)b/), "spec.value", "lookaround"],
  ["a back reference", z.string().regex(/(a)\1/), "spec.value", "back reference"],
  ["a pattern with too many repeats", z.string().regex(/a{2000}/), "spec.value", "RE2"],
  ["z.url()", z.url(), "spec.value", 'k8s.format("uri")'],
  ["z.emoji()", z.emoji(), "spec.value", "z.enum()"],
  ["z.jwt()", z.jwt(), "spec.value", ".regex()"],
  ["z.iban()", z.iban(), "spec.value", ".regex()"],
  ["z.creditCard()", z.creditCard(), "spec.value", 'k8s.format("creditcard")'],
  [
    "z.stringFormat() of a function",
    z.stringFormat("even", (text) => text.length % 2 === 0),
    "spec.value",
    ".regex()",
  ],
  ["a default in items", z.array(z.string().default("x")), "spec.value[]", "never applies"],
  [
    "a default in a record's values",
    z.record(z.string(), z.string().default("x")),
    "spec.value{}",
    "never applies",
  ],
  [
    "a default that differs from call to call",
    z.string().default(changing()),
    "spec.value",
    "differs from call to call",
  ],
  [
    "a default that its schema refuses",
    z.string().min(3).default("x"),
    "spec.value",
    "refused by its own schema",
  ],
  [
    "variants with different fields of one name",
    z.discriminatedUnion("t", [
      z.object({ t: z.literal("a"), x: z.int() }),
      z.object({ t: z.literal("b"), x: z.string() }),
    ]),
    "spec.value.x",
    "different schemas",
  ],
  [
    "a default inside of a variant",
    z.discriminatedUnion("t", [
      z.object({ t: z.literal("a"), x: z.int().default(1) }),
      z.object({ t: z.literal("b") }),
    ]),
    "spec.value.x",
    "whatever the variant",
  ],
  [
    "an optional discriminator",
    z.discriminatedUnion("t", [z.object({ t: z.literal("a").optional() }), z.object({ t: z.literal("b") })]),
    "spec.value.t",
    "cannot be optional",
  ],
  ["k8s.atomic() on a string", z.string().check(k8s.atomic()), "spec.value", "lists and objects"],
];

function recursive(): z.ZodType {
  const node: z.ZodType = z.object({
    name: z.string(),
    get children(): z.ZodType {
      return z.array(node);
    },
  });
  return node;
}

function recursiveLazy(): z.ZodType {
  const node: z.ZodType = z.object({ next: z.lazy(() => node).optional() });
  return node;
}

function changing(): () => string {
  let count = 0;
  return () => String(count++);
}

import { describe, expect, it } from "vitest";
import { readGoTypes } from "./go-types.ts";
import { readProto } from "./proto-file.ts";

describe("readProto", () => {
  it("reads package, messages, lists, maps and references", () => {
    const text = [
      'syntax = "proto2";',
      "package k8s.io.api.x.v1;",
      "// A comment",
      "message Thing {",
      "  // What it is called.",
      "  optional string name = 1;",
      "",
      "  repeated .k8s.io.other.Part parts = 12;",
      "  map<string, Part> byName = 3;",
      "  repeated bytes raw = 4;",
      "}",
    ].join("\n");
    expect(readProto(text)).toEqual({
      name: "k8s.io.api.x.v1",
      messages: [
        {
          name: "Thing",
          fields: [
            { number: 1, name: "name", type: "s", scalar: true, repeat: "" },
            { number: 12, name: "parts", type: "k8s.io.other.Part", scalar: false, repeat: "+" },
            { number: 3, name: "byName", type: "Part", scalar: false, repeat: "%" },
            { number: 4, name: "raw", type: "y", scalar: true, repeat: "+" },
          ],
        },
      ],
    });
  });

  it("refuses what it does not understand", () => {
    expect(() => readProto("message A {}")).toThrow("without a package");
    expect(() => readProto("package a;\nmessage A {\n  oneof x {\n}\n")).toThrow("not a field:   oneof x {");
  });
});

describe("readGoTypes", () => {
  it("reads tags, pointers and embedded structs, not comments", () => {
    const source = [
      "type Thing struct {",
      '\tmetav1.TypeMeta `json:",inline"`',
      '\tPart `json:",inline" protobuf:"bytes,2,opt,name=part"`',
      '\tName string `json:"name" protobuf:"bytes,1,opt,name=name"`',
      '\tCount *int32 `json:"count,omitempty" patchStrategy:"merge" protobuf:"varint,3,opt,name=count"`',
      '\t// Old string `json:"old" protobuf:"bytes,4,opt,name=old"`',
      "}",
    ].join("\n");
    expect(readGoTypes([source]).get("Thing")).toEqual([
      { number: 2, jsonName: "", inline: true, omitEmpty: false, pointer: false },
      { number: 1, jsonName: "name", inline: false, omitEmpty: false, pointer: false },
      { number: 3, jsonName: "count", inline: false, omitEmpty: true, pointer: true },
    ]);
  });
});

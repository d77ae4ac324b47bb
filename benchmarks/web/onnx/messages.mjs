// The messages of ONNX that the benchmark's graphs use, with the numbers of onnx.proto.
import protobuf from 'protobufjs';

export const { root: messages } = protobuf.parse(
  `
syntax = "proto2";

message OperatorSetId {
  optional string domain = 1;
  optional int64 version = 2;
}

message Tensor {
  repeated int64 dims = 1;
  optional int32 data_type = 2;
  optional string name = 8;
  optional bytes raw_data = 9;
}

message Attribute {
  optional string name = 1;
  optional float f = 2;
  optional int64 i = 3;
  repeated int64 ints = 8;
  optional int32 type = 20;
}

message Node {
  repeated string input = 1;
  repeated string output = 2;
  optional string name = 3;
  optional string op_type = 4;
  repeated Attribute attribute = 5;
  optional string domain = 7;
}

message Dimension {
  optional int64 dim_value = 1;
}

message Shape {
  repeated Dimension dim = 1;
}

message TensorType {
  optional int32 elem_type = 1;
  optional Shape shape = 2;
}

message Type {
  optional TensorType tensor_type = 1;
}

message ValueInfo {
  optional string name = 1;
  optional Type type = 2;
}

message Graph {
  repeated Node node = 1;
  optional string name = 2;
  repeated Tensor initializer = 5;
  repeated ValueInfo input = 11;
  repeated ValueInfo output = 12;
}

message Model {
  optional int64 ir_version = 1;
  optional string producer_name = 2;
  optional Graph graph = 7;
  repeated OperatorSetId opset_import = 8;
}
`,
  { keepCase: true },
);

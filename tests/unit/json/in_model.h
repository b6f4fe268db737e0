// Whether printed JSON is what the service model declares.
#ifndef DYNOLITH_TESTS_UNIT_JSON_IN_MODEL_H_
#define DYNOLITH_TESTS_UNIT_JSON_IN_MODEL_H_

#include <gtest/gtest.h>

#include <algorithm>

#include "api/json/fields.h"
#include "engine/model/shapes.h"

namespace dynolith {

// Whether a printed value has only members that the shape declares, and all that it requires.
inline void ExpectInModel(const Shape& shape, JsonValue value) {
  switch (shape.kind) {
    case ShapeKind::kStructure: {
      ASSERT_TRUE(value.is_object()) << shape.name;
      for (const auto field : AsObject(value)) {
        const int member = shape.FindMember(field.key);
        ASSERT_GE(member, 0) << shape.name << "." << field.key;
        ExpectInModel(ShapeAt(shape.members()[member].shape), field.value);
      }
      for (const ShapeMember& member : shape.members()) {
        EXPECT_TRUE(!member.required || AsObject(value)[member.name].error() == 0)
            << shape.name << "." << member.name;
      }
      return;
    }
    case ShapeKind::kList:
      ASSERT_TRUE(value.is_array()) << shape.name;
      for (const JsonValue element : AsArray(value)) ExpectInModel(ShapeAt(shape.element), element);
      return;
    case ShapeKind::kMap:
      ASSERT_TRUE(value.is_object()) << shape.name;
      for (const auto field : AsObject(value)) ExpectInModel(ShapeAt(shape.element), field.value);
      return;
    case ShapeKind::kEnum: {
      const auto values = shape.values();
      EXPECT_NE(std::find(values.begin(), values.end(), AsText(value)), values.end()) << shape.name;
      return;
    }
    case ShapeKind::kString:
    case ShapeKind::kBlob:
      EXPECT_TRUE(value.is_string()) << shape.name;
      return;
    case ShapeKind::kBoolean:
      EXPECT_TRUE(value.is_bool()) << shape.name;
      return;
    default:
      EXPECT_TRUE(value.is_number()) << shape.name;
  }
}

}  // namespace dynolith

#endif  // DYNOLITH_TESTS_UNIT_JSON_IN_MODEL_H_

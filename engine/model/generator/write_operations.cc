// The operations, as the database and the wire know them.
#include <string>
#include <string_view>

#include "engine/model/generator/writers.h"

namespace dynolith::generator {
namespace {

struct Signature {
  std::string request;
  std::string output;  // "void" if there is none
  std::string result;  // what the function returns
};

Signature MakeSignature(const Model& model, const Operation& operation) {
  Signature signature;
  signature.request = model.CppTypeName(model.Find(operation.input));
  signature.output = "void";
  signature.result = "absl::Status";
  if (operation.output == "-" || operation.fails) return signature;
  signature.output = model.CppTypeName(model.Find(operation.output));
  // An answer that is its one member has it.
  constexpr std::string_view kOptional = "std::optional<";
  if (signature.output.compare(0, kOptional.size(), kOptional) == 0) {
    signature.output.erase(0, kOptional.size());
    signature.output.pop_back();
  }
  signature.result = "absl::StatusOr<" + signature.output + ">";
  return signature;
}

// "page" -> "kPage".
std::string CostEnumerator(const std::string& cost) {
  return "k" + std::string(1, static_cast<char>(cost[0] - 'a' + 'A')) + cost.substr(1);
}

bool IsMade(const Operation& operation) { return !operation.absent && !operation.hand; }

}  // namespace

void WriteMethods(const Model& model, std::ostream& out) {
  out << "// Generated from engine/model/model.txt.\n";
  for (const Operation& operation : model.operations) {
    if (!IsMade(operation)) continue;
    const Signature signature = MakeSignature(model, operation);
    out << signature.result << " " << operation.name << "(const " << signature.request
        << "& request);\n";
  }
}

void WriteDefinitions(const Model& model, std::ostream& out) {
  out << "// Generated from model.txt.\n";
  for (const Operation& operation : model.operations) {
    if (!IsMade(operation)) continue;
    const Signature signature = MakeSignature(model, operation);
    out << signature.result << " Database::" << operation.name << "(const " << signature.request
        << "& request) {\n";
    out << "  if (remote_ != nullptr) return Ask<" << signature.output << ">(remote_, \""
        << operation.name << "\", request);\n";
    if (!operation.apart) {
      out << "  DYNOLITH_RETURN_IF_ERROR(CheckMembers(ShapeAt(members::" << operation.input
          << "::kShape), &request));\n";
    }
    out << "  return WithFaults(context(), \"" << operation.name
        << "\", request, nullptr, [&](const OperationContext& given) {\n"
        << "    return dynolith::" << operation.name << "(given, request);\n  });\n}\n";
  }
}

void WriteRows(const Model& model, std::ostream& out) {
  out << "// Generated from model.txt.\n";
  for (const Operation& operation : model.operations) {
    const std::string options =
        std::string("{") + (operation.older ? "ValueLayer::kOlder" : "ValueLayer::kCurrent") +
        (operation.deep ? ", true" : ", false") + (operation.statement ? ", true}" : ", false}");
    out << "{\"" << operation.name << "\", &Run";
    if (IsMade(operation)) {
      const Signature signature = MakeSignature(model, operation);
      out << "<" << signature.request << ", " << signature.output << ", &" << operation.name << ">";
    } else {
      out << operation.name;
    }
    out << ", " << options << ", OperationCost::" << CostEnumerator(operation.cost) << ", "
        << (operation.reads ? "false" : "true") << "},\n";
  }
}

}  // namespace dynolith::generator

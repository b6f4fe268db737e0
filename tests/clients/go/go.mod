module dynolith.test/scenario

go 1.19

require (
	dynolith.test/dynolith v0.0.0
	github.com/aws/aws-sdk-go-v2 v1.24.1
	github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue v1.12.17
	github.com/aws/aws-sdk-go-v2/feature/dynamodb/expression v1.6.17
	github.com/aws/aws-sdk-go-v2/service/dynamodb v1.27.1
	github.com/aws/aws-sdk-go-v2/service/dynamodbstreams v1.18.7
	github.com/aws/smithy-go v1.19.0
)

require (
	github.com/aws/aws-sdk-go-v2/internal/configsources v1.2.10 // indirect
	github.com/aws/aws-sdk-go-v2/internal/endpoints/v2 v2.5.10 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/accept-encoding v1.10.4 // indirect
	github.com/aws/aws-sdk-go-v2/service/internal/endpoint-discovery v1.8.11 // indirect
	github.com/jmespath/go-jmespath v0.4.0 // indirect
	github.com/tetratelabs/wazero v1.7.3 // indirect
)

replace dynolith.test/dynolith => ../../../api/bindings/go

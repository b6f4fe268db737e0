module @GO_MODULE@/testcontainers

go 1.22

require github.com/testcontainers/testcontainers-go v0.33.0

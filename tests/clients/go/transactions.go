package main

// Step 5: transactions commit, are cancelled with reasons, and are replayed by their token.

import (
	"fmt"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

func account(sk, balance int) Values {
	return with(key("accounts", sk), Values{"balance": float64(balance)})
}

func openAccount(sk, balance int) types.TransactWriteItem {
	return types.TransactWriteItem{Put: &types.Put{
		TableName: table, Item: marshal(account(sk, balance)), ConditionExpression: aws.String("attribute_not_exists(pk)"),
	}}
}

// deposit adds to the balance when there is as much as said.
func deposit(sk, amount, atLeast int) types.TransactWriteItem {
	return types.TransactWriteItem{Update: &types.Update{
		TableName: table, Key: marshal(key("accounts", sk)), UpdateExpression: aws.String("SET balance = balance + :amount"),
		ConditionExpression:                 aws.String("balance >= :least"),
		ExpressionAttributeValues:           marshal(Values{":amount": amount, ":least": atLeast}),
		ReturnValuesOnConditionCheckFailure: types.ReturnValuesOnConditionCheckFailureAllOld,
	}}
}

func closeAccount(sk int) types.TransactWriteItem {
	return types.TransactWriteItem{Delete: &types.Delete{TableName: table, Key: marshal(key("accounts", sk))}}
}

func checkAccount(sk int) types.TransactWriteItem {
	return types.TransactWriteItem{ConditionCheck: &types.ConditionCheck{
		TableName: table, Key: marshal(key("accounts", sk)), ConditionExpression: aws.String("attribute_exists(pk)"),
	}}
}

func transact(token *string, actions ...types.TransactWriteItem) error {
	_, err := db.TransactWriteItems(ctx, &dynamodb.TransactWriteItemsInput{TransactItems: actions, ClientRequestToken: token})
	return err
}

func accounts() []Values {
	gets := []types.TransactGetItem{}
	for sk := 1; sk <= 5; sk++ {
		gets = append(gets, types.TransactGetItem{Get: &types.Get{TableName: table, Key: marshal(key("accounts", sk))}})
	}
	answer, err := db.TransactGetItems(ctx, &dynamodb.TransactGetItemsInput{TransactItems: gets})
	succeed("TransactGetItems", err)
	found := []Values{}
	for _, response := range answer.Responses {
		found = append(found, unmarshal(response.Item))
	}
	return found
}

func writeTransaction() {
	for sk := 1; sk <= 3; sk++ {
		put(account(sk, 100))
	}
	succeed("a transaction of each kind", transact(nil, openAccount(4, 40), deposit(1, 11, 100), closeAccount(2), checkAccount(3)))
	expect("all of it is done", accounts(), []Values{account(1, 111), nil, account(3, 100), account(4, 40), nil})
}

func cancelTransaction() {
	before := accounts()
	err := transact(nil, openAccount(5, 50), deposit(1, 1, 1000), checkAccount(2), closeAccount(3))
	failed := fail[*types.TransactionCanceledException]("two conditions fail", err)
	expect("its message", failed.ErrorMessage(), "Transaction cancelled, please refer cancellation reasons for specific reasons "+
		"[None, ConditionalCheckFailed, ConditionalCheckFailed, None]")
	type reason struct {
		code, message string
		item          Values
	}
	reasons := []reason{}
	for _, found := range failed.CancellationReasons {
		reasons = append(reasons, reason{aws.ToString(found.Code), aws.ToString(found.Message), unmarshal(found.Item)})
	}
	expect("its reasons", reasons, []reason{
		{"None", "", nil}, {"ConditionalCheckFailed", conditionFailed, account(1, 111)},
		{"ConditionalCheckFailed", conditionFailed, nil}, {"None", "", nil},
	})
	expect("nothing is done", accounts(), before)
}

func replayTransaction() {
	// A token outlives the table; another run needs another one.
	token := aws.String(fmt.Sprintf("go-%d", time.Now().UnixNano()))
	succeed("with a token", transact(token, deposit(3, 10, 0)))
	succeed("the same again", transact(token, deposit(3, 10, 0)))
	expect("it is done once", get(key("accounts", 3)), account(3, 110))
	fail[*types.IdempotentParameterMismatchException]("another with this token", transact(token, deposit(3, 20, 0)))
	expect("nothing is done", get(key("accounts", 3)), account(3, 110))
}

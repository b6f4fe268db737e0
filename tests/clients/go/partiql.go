package main

// Step 8: the same table in PartiQL.

import (
	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

type statement struct {
	text       string
	parameters []types.AttributeValue
}

func parameterized(text string, parameters ...any) statement {
	marshaled, err := attributevalue.MarshalList(parameters)
	succeed("parameters", err)
	return statement{text, marshaled}
}

func insertBook(sk int, title string) statement {
	return parameterized(`INSERT INTO "`+*table+`" VALUE {'pk': ?, 'sk': ?, 'title': ?}`, "books", sk, title)
}

func selectBook(sk int) statement {
	return parameterized(`SELECT * FROM "`+*table+`" WHERE pk = ? AND sk = ?`, "books", sk)
}

func renameBook(sk int, title, returning string) statement {
	return parameterized(`UPDATE "`+*table+`" SET title = ? WHERE pk = ? AND sk = ?`+returning, title, "books", sk)
}

func deleteBook(sk int) statement {
	return parameterized(`DELETE FROM "`+*table+`" WHERE pk = ? AND sk = ? RETURNING ALL OLD *`, "books", sk)
}

func book(sk int, title string) Values {
	return with(key("books", sk), Values{"title": title})
}

func execute(one statement) ([]Values, error) {
	answer, err := db.ExecuteStatement(ctx, &dynamodb.ExecuteStatementInput{Statement: &one.text, Parameters: one.parameters})
	if err != nil {
		return nil, err
	}
	return unmarshalList(answer.Items), nil
}

func expectItems(what string, one statement, wanted ...Values) {
	found, err := execute(one)
	succeed(what, err)
	expect(what, found, append([]Values{}, wanted...))
}

func executeStatements() {
	expectItems("INSERT", insertBook(1, "Sea"))
	expectItems("INSERT", insertBook(2, "Hills"))
	expectItems("INSERT", insertBook(3, "Bread"))
	_, err := execute(insertBook(1, "Sea"))
	failed := fail[*types.DuplicateItemException]("INSERT again", err)
	expect("its message", failed.ErrorMessage(), "Duplicate primary key exists in table")

	expectItems("SELECT", selectBook(2), book(2, "Hills"))
	last := parameterized(`SELECT sk, title FROM "`+*table+`" WHERE pk = ? AND sk >= ? ORDER BY sk DESC`, "books", 2)
	expectItems("SELECT a range", last, Values{"sk": 3.0, "title": "Bread"}, Values{"sk": 2.0, "title": "Hills"})
	expectItems("UPDATE", renameBook(2, "Mountains", " RETURNING ALL NEW *"), book(2, "Mountains"))
	expectItems("DELETE", deleteBook(3), book(3, "Bread"))
	expect("it is gone", get(key("books", 3)), Values(nil))
	expectItems("SELECT what is gone", selectBook(3))
}

func transactStatements(statements ...statement) ([]Values, error) {
	input := &dynamodb.ExecuteTransactionInput{}
	for _, one := range statements {
		input.TransactStatements = append(input.TransactStatements,
			types.ParameterizedStatement{Statement: aws.String(one.text), Parameters: one.parameters})
	}
	answer, err := db.ExecuteTransaction(ctx, input)
	if err != nil {
		return nil, err
	}
	found := []Values{}
	for _, response := range answer.Responses {
		found = append(found, unmarshal(response.Item))
	}
	return found, nil
}

func executeBatchAndTransaction() {
	batch := &dynamodb.BatchExecuteStatementInput{}
	for _, one := range []statement{insertBook(4, "Wind"), insertBook(1, "Sea"), insertBook(5, "Rain")} {
		batch.Statements = append(batch.Statements, types.BatchStatementRequest{Statement: aws.String(one.text), Parameters: one.parameters})
	}
	answer, err := db.BatchExecuteStatement(ctx, batch)
	succeed("BatchExecuteStatement", err)
	codes := []types.BatchStatementErrorCodeEnum{}
	for _, response := range answer.Responses {
		code := types.BatchStatementErrorCodeEnum("")
		if response.Error != nil {
			code = response.Error.Code
		}
		codes = append(codes, code)
	}
	expect("only the second fails", codes, []types.BatchStatementErrorCodeEnum{"", types.BatchStatementErrorCodeEnumDuplicateItem, ""})

	found, err := transactStatements(insertBook(6, "Snow"), renameBook(4, "Storm", ""))
	succeed("ExecuteTransaction", err)
	expect("nothing to read", found, []Values{})
	found, err = transactStatements(selectBook(6), selectBook(7), selectBook(4))
	succeed("read in a transaction", err)
	expect("read in a transaction", found, []Values{book(6, "Snow"), nil, book(4, "Storm")})
	_, err = transactStatements(insertBook(7, "Fog"), insertBook(6, "Snow"))
	failed := fail[*types.TransactionCanceledException]("insert again in a transaction", err)
	reasons := []string{}
	for _, reason := range failed.CancellationReasons {
		reasons = append(reasons, aws.ToString(reason.Code))
	}
	expect("its reasons", reasons, []string{"None", "DuplicateItem"})
	expect("nothing is done", get(key("books", 7)), Values(nil))
}

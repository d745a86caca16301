// An API behind a session of Express, with a GraphQL server. It prints its port.
"use strict";
const express = require("express");
const session = require("express-session");
const { buildSchema } = require("graphql");
const { createHandler } = require("graphql-http/lib/use/express");

const app = express();
app.use(express.json());
app.use(session({ name: "connect.sid", secret: "of the test", resave: false, saveUninitialized: false }));
app.post("/login", (request, response) => {
  if (request.body.user !== "anna" || request.body.password !== process.env.PASSWORD) return response.sendStatus(401);
  request.session.user = request.body.user;
  request.session.csrf = Math.random().toString(36).slice(2);
  return response.set("X-Csrf-Token", request.session.csrf).json({});
});
app.use((request, response, next) => (request.session.user ? next() : response.sendStatus(401)));
app.get("/orders", (request, response) => response.json({ of: request.session.user }));
app.post("/orders", (request, response) =>
  request.get("X-Csrf-Token") === request.session.csrf ? response.json(request.body) : response.sendStatus(403),
);
app.post("/forget", (request, response) => request.session.destroy(() => response.json({})));

const schema = buildSchema("type User { name: String } type Query { user(login: String!): User }");
const rootValue = {
  user: ({ login }) => {
    if (login === "nobody") throw new Error("no such user");
    return { name: `${login} of GraphQL` };
  },
};
app.all("/graphql", createHandler({ schema, rootValue }));
const server = app.listen(0, "127.0.0.1", () => console.log(`listening ${server.address().port}`));

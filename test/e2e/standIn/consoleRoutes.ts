import { answer, answerJson, type Route } from "./exchange";

/** The console's pages: the sign-in page, and the request as the node received it. */
export const consoleRoutes: Route = (exchange) => {
    const { request, node, target } = exchange;
    switch (target.path) {
        case "/":
        case "/service/console/":
            answer(exchange, "console", {
                status: 200,
                headers: { "content-type": "text/html; charset=utf-8", etag: `"${node}"` },
                body: signInPage(node),
            });
            return true;
        case "/service/console/whoami":
            answerJson(exchange, "console", {
                node,
                rawHeaders: request.rawHeaders,
                remoteAddress: request.socket.remoteAddress,
            });
            return true;
        default:
            return false;
    }
};

function signInPage(node: string): string {
    return `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Console</title></head>
<body>
<h1>Sign in</h1>
<p id="node">${node}</p>
<p><a href="/service/console/oidc/start">Sign in with the identity provider</a></p>
</body>
</html>
`;
}

// A server on standard input and output with two tools. https://modelcontextprotocol.io/specification/2025-06-18/basic
import { createInterface } from 'node:readline'

const tools = ['look', 'listen'].map((name) => ({ name, description: name, inputSchema: { type: 'object' } }))
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'two-tools', version: '1.0.0' },
  }),
  'tools/list': () => ({ tools }),
  ping: () => ({}),
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line)
  if (id === undefined) return
  const answer = answers[method]
  const said = answer ? { result: answer(params) } : { error: { code: -32601, message: `there is no ${method}` } }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...said })}\n`)
})

import type { ClientCallWish } from '../support/fakes/both-sides.ts'

/** A program that talks with the agent through the API and runs its own tools. */
export interface Client {
  /** What npm installs, into a folder that is thrown away. */
  readonly packages: readonly string[]
  /** The part of the API that it speaks. */
  readonly protocol: 'chat' | 'responses' | 'chat, responses'
  /** How the model calls one of its tools, the first that it offers: the tool shows what is in `seen.txt`. */
  readonly wishes: readonly ClientCallWish[]
  /** Files below its home folder. */
  readonly files: (url: string) => Readonly<Record<string, string>>
  /** A program below `node_modules/.bin` or `node`, and its words. */
  readonly command: (url: string, home: string) => readonly string[]
  readonly environment?: Readonly<Record<string, string>>
  /** What its own system prompt says of it. */
  readonly prompt: RegExp
  /** How many answers it shows; one unless it is said. */
  readonly answers?: number
}

const prompt = 'Show me seen.txt.'
const call = (name: string, args: object): ClientCallWish => ({ name, args: JSON.stringify(args) })
const json = (value: unknown): string => JSON.stringify(value, null, 2)

const langchain = (url: string): string => `
import { HumanMessage, SystemMessage, ToolMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { ChatOpenAI } from '@langchain/openai'
import { readFileSync } from 'node:fs'

const schema = { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] }
const show = tool(async ({ file }) => readFileSync(file, 'utf8'), { name: 'show', description: 'Shows a file.', schema })
const question = [new SystemMessage('Be brief, says LangChain.'), new HumanMessage(${JSON.stringify(prompt)})]
for (const useResponsesApi of [false, true]) {
  const chat = new ChatOpenAI({ model: 'agent', apiKey: 'none', useResponsesApi, configuration: { baseURL: ${JSON.stringify(url)} } }).bindTools([show])
  const first = await chat.invoke(question)
  const [called] = first.tool_calls
  const result = new ToolMessage({ tool_call_id: called.id, content: await show.invoke(called.args) })
  for await (const chunk of await chat.stream([...question, first, result])) process.stdout.write(chunk.text)
}
`

export const clients: Readonly<Record<string, Client>> = {
  opencode: {
    packages: ['opencode-ai'],
    protocol: 'chat',
    prompt: /opencode/i,
    wishes: [call('bash', { command: 'cat seen.txt', description: 'Shows the file' }), call('read', { filePath: 'seen.txt' })],
    files: (url) => ({
      'work/opencode.json': json({
        provider: {
          local: { npm: '@ai-sdk/openai-compatible', options: { baseURL: url, apiKey: 'none' }, models: { agent: { name: 'agent' } } },
        },
        permission: 'allow',
      }),
    }),
    command: () => ['opencode', 'run', '-m', 'local/agent', prompt],
  },
  codex: {
    packages: ['@openai/codex'],
    protocol: 'responses',
    prompt: /Codex/,
    wishes: [
      call('exec_command', { cmd: 'cat seen.txt' }),
      call('shell_command', { command: 'cat seen.txt' }),
      call('shell', { command: ['cat', 'seen.txt'] }),
    ],
    files: (url) => ({
      '.codex/config.toml': `model = "agent"\nmodel_provider = "local"\n[model_providers.local]\nname = "local"\nbase_url = "${url}"\nwire_api = "responses"\n`,
    }),
    command: () => ['codex', 'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox', prompt],
  },
  pi: {
    packages: ['@mariozechner/pi-coding-agent'],
    protocol: 'chat',
    prompt: /coding agent harness/,
    wishes: [call('bash', { command: 'cat seen.txt' })],
    files: (url) => ({
      '.pi/agent/models.json': json({
        providers: { local: { baseUrl: url, api: 'openai-completions', apiKey: 'none', models: [{ id: 'agent' }] } },
      }),
    }),
    command: () => ['pi', '-p', '--provider', 'local', '--model', 'agent', prompt],
  },
  continue: {
    packages: ['@continuedev/cli'],
    protocol: 'chat',
    prompt: /Continue/,
    wishes: [call('Bash', { command: 'cat seen.txt' })],
    files: (url) => ({
      'config.yaml': `name: local\nversion: 1.0.0\nschema: v1\nmodels:\n  - name: agent\n    provider: openai\n    model: agent\n    apiKey: none\n    apiBase: ${url}\n    roles: [chat]\n    capabilities: [tool_use]\n`,
    }),
    command: (_url, home) => ['cn', '--config', `${home}/config.yaml`, '--auto', '-p', prompt],
  },
  langchain: {
    packages: ['@langchain/openai', '@langchain/core'],
    protocol: 'chat, responses',
    prompt: /Be brief, says LangChain/,
    answers: 2,
    wishes: [call('show', { file: 'seen.txt' })],
    files: (url) => ({ 'work/talk.mjs': langchain(url) }),
    command: () => ['node', 'talk.mjs'],
  },
}

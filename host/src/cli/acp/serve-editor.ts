import { Readable } from 'node:stream'
import { withTimeLimit } from '@agent/plugin-sdk'
import { type AgentApp, agent, ndJsonStream } from '@agentclientprotocol/sdk'
import { systemClock } from '#kernel/clock.ts'
import { showJson } from '#observe/printable.ts'
import type { Cli } from '../console/cli.ts'
import { type EditorAgentOptions, openEditorAgents } from './editor-agents.ts'
import { createEditorDoor, type EditorDoor } from './editor-door.ts'
import { readPrompt } from './read-prompt.ts'
import { toRefusal } from './refusals.ts'

const closeMs = 30_000

/** Works for the editor on standard input and output until it leaves; standard output carries its protocol alone. */
export async function serveEditor(cli: Cli, options: EditorAgentOptions = {}): Promise<void> {
  const agents = openEditorAgents(cli, options)
  const app = createApp(createEditorDoor(cli, agents), (error) => logUnexpected(cli, error))
  const connection = app.connect(ndJsonStream(outputOf(cli), Readable.toWeb(cli.input) as ReadableStream<Uint8Array>))
  const leave = (): void => connection.close()
  cli.signal.addEventListener('abort', leave, { once: true })
  if (cli.signal.aborted) leave()
  try {
    await connection.closed
  } finally {
    cli.signal.removeEventListener('abort', leave)
    cli.input.destroy()
    await withTimeLimit({ clock: systemClock, ms: closeMs, what: 'The end of what the editor has begun' }, () => agents.close())
  }
}

/** A program that reads it takes escapes for what they stand for, and a terminal is not steered by them. */
function outputOf(cli: Pick<Cli, 'write'>): WritableStream<Uint8Array> {
  return new WritableStream({ write: (message) => cli.write(showJson(Buffer.from(message).toString('utf8'))) })
}

async function logUnexpected(cli: Cli, error: unknown): Promise<void> {
  await (await import('../home/log-error.ts')).logError(cli, error)
}

function createApp(editor: EditorDoor, log: (error: unknown) => Promise<unknown>): AgentApp {
  /** Every failure leaves as a sentence. */
  const told = async <Result>(work: () => Result | Promise<Result>): Promise<Result> => {
    try {
      return await work()
    } catch (error) {
      throw await toRefusal(error, log)
    }
  }
  return agent({ name: 'agent' })
    .onRequest('initialize', ({ params }) => told(() => editor.initialize(params)))
    .onRequest('authenticate', () => told(editor.authenticate))
    .onRequest('session/new', ({ params, client }) => told(() => editor.begin(params, client)))
    .onRequest('session/load', ({ params, client }) => told(() => editor.open(params, client, { replay: true })))
    .onRequest('session/resume', ({ params, client }) => told(() => editor.open(params, client, { replay: false })))
    .onRequest('session/list', ({ params }) => told(() => editor.list(params.cwd ?? undefined, params.cursor ?? undefined)))
    .onRequest('session/close', ({ params }) => told(() => editor.close(params.sessionId)))
    .onRequest('session/prompt', ({ params, signal }) =>
      told(async () => {
        const session = editor.session(params.sessionId)
        const cancel = (): void => void session.cancel()
        signal.addEventListener('abort', cancel, { once: true })
        try {
          return await session.prompt(readPrompt(params.prompt))
        } finally {
          signal.removeEventListener('abort', cancel)
        }
      }),
    )
    .onRequest('session/set_mode', ({ params }) =>
      told(async () => {
        await editor.session(params.sessionId).setMode(params.modeId)
        return {}
      }),
    )
    .onRequest('session/set_config_option', ({ params }) =>
      told(async () => {
        const { configOptions } = await editor.session(params.sessionId).choose(params.configId, params.value)
        return { configOptions }
      }),
    )
    .onNotification('session/cancel', ({ params }) => editor.session(params.sessionId).cancel())
}

import { PassThrough } from 'node:stream'
import { serveEditor } from '../../../host/src/cli/acp/serve-editor.ts'
import { root } from '../../repo/source-files.ts'
import { type FakeOpenai, startFakeOpenai } from '../fakes/fake-openai.ts'
import type { FakeOptions } from '../fakes/fake-vendor.ts'
import { importSourceEntry } from '../source-entry.ts'
import { openTestCli } from '../test-cli.ts'
import { openTestHome, type TestHome } from '../test-home.ts'
import { connectClient, type EditorPerson, type TestClient } from './connect-client.ts'

export interface EditorStage extends AsyncDisposable {
  readonly home: TestHome
  readonly server: FakeOpenai
  readonly editor: TestClient
  /** Connects another editor, to another agent on the same home. */
  again(person?: EditorPerson): Promise<TestClient>
}

export interface EditorOptions extends EditorPerson {
  /** What the model says, step by step. */
  readonly answers?: FakeOptions['answers']
  readonly models?: FakeOptions['models']
  readonly config?: object
}

/** `agent acp` in this process, with a scripted model and an editor that has said hello. */
export async function openEditor({
  answers = [{ text: 'Good.' }],
  models = ['fake-model'],
  config = {},
  ...person
}: EditorOptions = {}): Promise<EditorStage> {
  const home = openTestHome()
  const server = await startFakeOpenai({ answers, models })
  writeConfig(home, server, config)
  const open: { readonly client: TestClient; readonly leave: () => Promise<void> }[] = []
  const again = async (who: EditorPerson = person): Promise<TestClient> => {
    const each = serve(home, who)
    open.push(each)
    await each.client.initialize()
    return each.client
  }
  return {
    ...{ home, server, again, editor: await again() },
    async [Symbol.asyncDispose]() {
      await Promise.all(open.map(({ leave }) => leave()))
      await server[Symbol.asyncDispose]()
      home[Symbol.dispose]()
    },
  }
}

export function writeConfig(home: TestHome, { url }: Pick<FakeOpenai, 'url'>, more: object = {}): void {
  const model = { provider: 'custom', default: 'fake-model', base_url: url }
  home.write('config.yaml', JSON.stringify({ model, sessions: { auto_title: false }, terminal: { sandbox: 'off' }, ...more }))
}

function serve(home: TestHome, person: EditorPerson): { readonly client: TestClient; readonly leave: () => Promise<void> } {
  const [toAgent, fromAgent] = [new PassThrough(), new PassThrough()]
  const { cli } = openTestCli({ installRoot: root, environment: home.environment, cwd: home.work, input: toAgent })
  const over = serveEditor({ ...cli, write: (text) => void fromAgent.write(text) }, { importEntry: importSourceEntry })
  const client = connectClient(toAgent, fromAgent, person)
  const leave = async (): Promise<void> => {
    toAgent.end()
    await over
    client.close()
  }
  return { client, leave }
}

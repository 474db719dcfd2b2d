import { mkdirSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type DashboardOptions, openDashboard } from '../../../host/src/dashboard/boot/open-dashboard.ts'
import { silentLog } from '../../../host/src/observe/silent-log.ts'
import { openTestHome, type TestHome } from '../test-home.ts'

/** What stands for the page that the browser gets. */
interface Answered {
  readonly status: number
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>
  readonly text: string
  /** The JSON of the answer. */
  readonly body: Readonly<Record<string, unknown>>
}

interface Asking {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: unknown
  /** The body as it is sent. */
  readonly raw?: string
}

export interface TestDashboard extends AsyncDisposable {
  readonly home: TestHome
  readonly url: string
  /** Asks with the token. */
  ask(method: string, path: string, asking?: Asking): Promise<Answered>
  /** Asks as anybody may. */
  askBare(method: string, path: string, asking?: Asking): Promise<Answered>
}

export const testToken = 'the-token-of-this-test'
export const root = fileURLToPath(new URL('../../..', import.meta.url))

/** A dashboard over a temporary home, asked over real HTTP. */
export async function openTestDashboard(
  given: Partial<DashboardOptions> & { readonly prepare?: (home: TestHome) => void; readonly page?: string } = {},
): Promise<TestDashboard> {
  const home = openTestHome()
  const { prepare, page, ...more } = given
  prepare?.(home)
  const pages = join(home.folder, 'page')
  if (page !== undefined) {
    mkdirSync(pages)
    writeFileSync(join(pages, 'index.html'), page)
  }
  const stop = new AbortController()
  const environment = { ...home.environment, AGENT_DASHBOARD_SESSION_TOKEN: testToken, ...more.environment }
  const dashboard = await openDashboard({
    ...{ installRoot: root, profile: 'default', isolated: false, host: '127.0.0.1', port: 0, insecure: false },
    ...{ log: silentLog, note: () => undefined, signal: stop.signal },
    ...(page === undefined ? {} : { pages }),
    ...more,
    environment,
  })
  const { port } = new URL(dashboard.url)
  const askBare = (method: string, path: string, { headers = {}, body, raw }: Asking = {}): Promise<Answered> => {
    const sent = raw ?? (body === undefined ? undefined : JSON.stringify(body))
    const type = sent === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(sent)) }
    return new Promise((resolve, reject) => {
      const asked = request({ host: '127.0.0.1', port, method, path, headers: { ...type, ...headers } }, (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (piece: string) => (text += piece))
        response.once('end', () => {
          const isJson = /json/.test(response.headers['content-type'] ?? '')
          resolve({ status: response.statusCode ?? 0, headers: response.headers, text, body: isJson ? JSON.parse(text) : {} })
        })
      })
      asked.once('error', reject)
      asked.end(sent)
    })
  }
  return {
    home,
    url: dashboard.url,
    askBare,
    ask: (method, path, asking = {}) =>
      askBare(method, path, { ...asking, headers: { 'x-agent-session-token': testToken, ...asking.headers } }),
    async [Symbol.asyncDispose]() {
      stop.abort()
      await dashboard.close()
      home[Symbol.dispose]()
    },
  }
}

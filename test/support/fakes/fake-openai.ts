import { chatDialect } from './fake-openai-chat.ts'
import { responsesDialect } from './fake-openai-responses.ts'
import { type FakeDialect, type FakeOptions, type FakeVendor, startFakeVendor } from './fake-vendor.ts'

export interface FakeOpenai extends FakeVendor {
  /** The base URL: `http://127.0.0.1:PORT/v1`. */
  readonly url: string
}

const dialects: Readonly<Record<string, FakeDialect>> = {
  '/v1/chat/completions': chatDialect,
  '/v1/responses': responsesDialect,
  '/v1/models': chatDialect,
}

/** Chat completions and responses, streamed and not; refuses what the vendor refuses. */
export async function startFakeOpenai(options: FakeOptions = {}): Promise<FakeOpenai> {
  const server = await startFakeVendor(options, (request, models) => {
    const dialect = dialects[request.path]
    if (!dialect || (request.method === 'GET') !== (request.path === '/v1/models')) return undefined
    return {
      dialect,
      isKey: (headers, key) => headers.authorization === `Bearer ${key}`,
      models: { object: 'list', data: models.map((id) => ({ id, object: 'model', created: 1, owned_by: 'fake' })) },
    }
  })
  return Object.assign(server, { url: `${server.origin}/v1` })
}

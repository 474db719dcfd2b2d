import type { Clock, HttpHandler, Log } from '@agent/plugin-sdk'
import { fail } from '@agent/plugin-sdk/errors'
import { type Listener, openListener } from './http.ts'
import { errorReply } from './http-error.ts'

/** The one listener that platforms with callbacks share; it opens with the first route. */
export interface CallbackListener {
  route(path: string, handler: HttpHandler): Promise<{ readonly url: string; close(): void }>
  close(): Promise<void>
}

const maxBodyBytes = 1024 * 1024

export function createCallbackListener(options: { host: string; port: number; clock: Clock; log: Log }): CallbackListener {
  const routes = new Map<string, HttpHandler>()
  let listener: Promise<Listener> | undefined
  const handler: HttpHandler = async (request, call) => {
    const path = request.url.split('?', 1)[0] ?? '/'
    const found = routes.get(path)
    return found ? found(request, call) : errorReply(fail('HTTP_NOT_FOUND', { what: `page ${path}` }))
  }
  return {
    route: async (path, own) => {
      if (routes.has(path)) throw fail('INTERNAL', { detail: `two platforms want the callback path ${path}` })
      routes.set(path, own)
      listener ??= openListener({ ...options, maxBodyBytes, handler })
      const { url } = await listener
      return { url: `${url}${path}`, close: () => void routes.delete(path) }
    },
    close: async () => (await listener)?.close(),
  }
}

import { createHmac, randomUUID } from 'node:crypto'

export interface SenderOptions {
  readonly secret: string
  /** Milliseconds since 1970. */
  readonly now?: () => number
}

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly body: Readonly<Record<string, string>>
}

/** A program that calls webhooks as GitHub, GitLab and others do. */
export interface WebhookSender {
  /** Signs with X-Webhook-Signature-V2 and calls again while the answer asks for that; gives the last answer. */
  deliver(url: string, payload: unknown): Promise<Answer>
  /** The last delivery once more, as it was. */
  redeliver(): Promise<Answer>
  post(url: string, body: string, headers?: Readonly<Record<string, string>>): Promise<Answer>
  github(body: string, event?: string, id?: string): Readonly<Record<string, string>>
  standard(body: string, more?: { readonly prefix?: string; readonly id?: string; readonly at?: number }): Readonly<Record<string, string>>
  generic(body: string, at?: number): Readonly<Record<string, string>>
  legacy(body: string): Readonly<Record<string, string>>
}

export function createWebhookSender({ secret, now = Date.now }: SenderOptions): WebhookSender {
  const hmac = (text: string, encoding: 'hex' | 'base64'): string => createHmac('sha256', secret).update(text).digest(encoding)
  const seconds = (): number => Math.floor(now() / 1000)
  const post: WebhookSender['post'] = async (url, body, headers = {}) => {
    const response = await fetch(url, { method: 'POST', body, headers: { 'Content-Type': 'application/json', ...headers } })
    const text = await response.text()
    return { status: response.status, headers: response.headers, body: text === '' ? {} : JSON.parse(text) }
  }
  const generic: WebhookSender['generic'] = (body, at = seconds()) => ({
    'X-Webhook-Timestamp': String(at),
    'X-Webhook-Signature-V2': hmac(`${at}.${body}`, 'hex'),
  })
  let last: () => Promise<Answer> = () => Promise.reject(new Error('nothing was delivered'))
  return {
    post,
    deliver: async (url, payload) => {
      const body = JSON.stringify(payload)
      const headers = { ...generic(body), 'X-Request-ID': randomUUID() }
      last = () => post(url, body, headers)
      for (;;) {
        const answer = await last()
        if (answer.status !== 503 || answer.headers.get('Retry-After') === null) return answer
      }
    },
    redeliver: () => last(),
    github: (body, event = 'push', id = randomUUID()) => ({
      'X-GitHub-Event': event,
      'X-GitHub-Delivery': id,
      'X-Hub-Signature-256': `sha256=${hmac(body, 'hex')}`,
    }),
    standard: (body, { prefix = 'webhook', id = `msg_${randomUUID()}`, at = seconds() } = {}) => ({
      [`${prefix}-id`]: id,
      [`${prefix}-timestamp`]: String(at),
      [`${prefix}-signature`]: `v1,${hmac(`${id}.${at}.${body}`, 'base64')}`,
    }),
    generic,
    legacy: (body) => ({ 'X-Webhook-Signature': hmac(body, 'hex') }),
  }
}

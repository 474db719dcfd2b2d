export type Content = Readonly<Record<string, unknown>>

export interface Answer {
  readonly status: number
  readonly body: Content
}

export const ok = (body: Content = {}): Answer => ({ status: 200, body })
export const no = (status: number, errcode: string, error = errcode): Answer => ({ status, body: { errcode, error } })

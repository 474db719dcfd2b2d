/** A message as it is posted; what this server looks at. */
export interface MessageBody {
  readonly messaging_product?: string
  readonly to?: string
  readonly recipient?: string
  readonly type?: string
  readonly text?: { readonly body: string }
  readonly context?: { readonly message_id: string }
  readonly biz_opaque_callback_data?: string
  readonly reaction?: { readonly message_id: string; readonly emoji: string }
  readonly image?: Media
  readonly video?: Media
  readonly audio?: Media
  readonly document?: Media
  readonly interactive?: Interactive
  readonly status?: string
  readonly message_id?: string
  readonly typing_indicator?: { readonly type: string }
}

export interface Media {
  readonly id: string
  readonly caption?: string
  readonly filename?: string
  readonly voice?: boolean
}

interface Interactive {
  readonly type: string
  readonly body: { readonly text: string }
  readonly action: {
    readonly buttons?: readonly { readonly reply: { readonly id: string; readonly title: string } }[]
    readonly button?: string
    readonly sections?: readonly {
      readonly rows: readonly { readonly id: string; readonly title: string; readonly description?: string }[]
    }[]
  }
}

interface Problem {
  readonly code: number
  readonly message: string
}

const invalid = (message: string): Problem => ({ code: 131_009, message: `Parameter value is not valid: ${message}` })

/** What WhatsApp would refuse. */
export function findProblem(message: MessageBody, files: ReadonlyMap<string, { readonly mime: string }>): Problem | undefined {
  if (message.messaging_product !== 'whatsapp') return { code: 100, message: 'The parameter messaging_product is required.' }
  if (message.status === 'read') return message.message_id?.startsWith('wamid.') ? undefined : invalid('message_id')
  if (!/^\d{7,15}$/.test(message.to ?? '') && !/^[A-Z]{2}\.\w+$/.test(message.recipient ?? '')) return invalid('to')
  return checkContent(message, files)
}

function checkContent(message: MessageBody, files: ReadonlyMap<string, { readonly mime: string }>): Problem | undefined {
  if (message.type === 'text') return checkLength(message.text?.body, 4096, 'text.body')
  if (message.type === 'interactive') return message.interactive ? checkInteractive(message.interactive) : invalid('interactive')
  if (message.type === 'reaction') return message.reaction ? undefined : invalid('reaction')
  const media = message[message.type as 'image']
  const mime = files.get(media?.id ?? '')?.mime
  if (mime === undefined) return invalid('media id')
  if (message.type === 'image' && !/^image\/(png|jpeg)$/.test(mime)) return { code: 131_053, message: 'Media upload error' }
  if (message.type === 'audio' && media?.caption !== undefined) return invalid('caption')
  return media?.caption === undefined ? undefined : checkLength(media.caption, 1024, 'caption')
}

function checkLength(text: string | undefined, most: number, what: string): Problem | undefined {
  return text && text.length <= most ? undefined : invalid(what)
}

function checkInteractive({ type, body, action }: Interactive): Problem | undefined {
  const { buttons = [], sections = [], button } = action
  const rows = sections.flatMap((section) => section.rows)
  if (!body.text || body.text.length > 1024) return invalid('body.text')
  if (type === 'button') {
    if (buttons.length < 1 || buttons.length > 3) return invalid('buttons')
    return buttons.some(({ reply }) => !reply.title || reply.title.length > 20)
      ? invalid('title')
      : checkUnique(buttons.map(({ reply }) => reply))
  }
  if (type !== 'list' || !button || rows.length < 1 || rows.length > 10) return invalid('rows')
  const isLong = rows.some(({ title, description = '' }) => !title || title.length > 24 || description.length > 72)
  return isLong ? invalid('row title') : checkUnique(rows)
}

function checkUnique(choices: readonly { readonly id: string; readonly title: string }[]): Problem | undefined {
  const distinct = new Set(choices.map(({ title }) => title)).size === choices.length
  return distinct && new Set(choices.map(({ id }) => id)).size === choices.length ? undefined : invalid('duplicate choice')
}

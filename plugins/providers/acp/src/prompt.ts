import type { ModelMessage, ModelRequest, ToolSpec } from '@agent/plugin-sdk'

/** A part of what a session of the protocol is asked. */
export type PromptPart =
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'image'; readonly mimeType: string; readonly data: string }

/** The whole conversation as one question: an agent of the protocol gets a new session for each request. */
export function buildPrompt(request: ModelRequest, takesImages: boolean): readonly PromptPart[] {
  const { system, ephemeral, messages, tools, toolChoice = 'auto' } = request
  const sections = [
    'You are the model behind another program. Use no tool, command or file of your own: answer with text alone.',
    ...(system === '' ? [] : [`# Instructions\n\n${system}`]),
    ...(ephemeral === undefined ? [] : [ephemeral]),
    ...(tools.length === 0 || toolChoice === 'none' ? [] : [describeTools(tools, toolChoice)]),
    `# Conversation\n\n${messages.map(describe).join('\n\n')}`,
    'Say what the assistant says next, without a label.',
  ]
  return [{ type: 'text', text: sections.join('\n\n') }, ...(takesImages ? imagesOf(messages) : [])]
}

function describeTools(tools: readonly ToolSpec[], choice: NonNullable<ModelRequest['toolChoice']>): string {
  const must = choice === 'required' ? '\nCall at least one.' : typeof choice === 'object' ? `\nCall ${choice.name}.` : ''
  const list = tools.map(({ name, description, parameters }) => JSON.stringify({ name, description, parameters })).join('\n')
  return `# Tools

The program runs these tools for you. To call one, write a block like this, with nothing after the last block, and wait for the results:
<tool_call>{"name": "…", "arguments": {…}}</tool_call>${must}

${list}`
}

function describe(message: ModelMessage): string {
  if (message.role === 'user') return `User: ${message.parts.map((part) => (part.type === 'text' ? part.text : '(an image)')).join('\n')}`
  if (message.role === 'tool') {
    return message.results.map(({ id, name, ok, text }) => `Result of ${name} (${id})${ok ? '' : ', which failed'}: ${text}`).join('\n\n')
  }
  const parts = message.parts.map((part) => {
    if (part.type === 'text') return part.text
    if (part.type === 'opaque') return ''
    return `<tool_call>{"name": ${JSON.stringify(part.name)}, "arguments": ${part.args || '{}'}}</tool_call> (${part.id})`
  })
  return `Assistant: ${parts.filter((part) => part !== '').join('\n')}`
}

function imagesOf(messages: readonly ModelMessage[]): readonly PromptPart[] {
  return messages.flatMap((message) =>
    message.role === 'user'
      ? message.parts.flatMap((part): readonly PromptPart[] => {
          const [, mimeType, data] = part.type === 'image' ? (/^data:([^;,]+);base64,(.+)$/s.exec(part.url) ?? []) : []
          return mimeType === undefined || data === undefined ? [] : [{ type: 'image', mimeType, data }]
        })
      : [],
  )
}

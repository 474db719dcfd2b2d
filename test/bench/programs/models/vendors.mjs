// Clients that vendors give away, and the AI SDK, each asked for a streamed answer. Copied beside where they are installed, so that Node finds them.
import { measure } from './measure.mjs'

const [name, origin] = process.argv.slice(2)
const key = 'sk-bench-0123456789'
const messages = [{ role: 'user', content: 'Hello' }]

/** Each answers with a function that asks a model and counts the pieces of text. */
const clients = {
  async openai() {
    const client = await openai()
    return (model) =>
      count(
        client.chat.completions.create({ model, messages, stream: true, stream_options: { include_usage: true } }),
        (chunk) => chunk.choices[0]?.delta?.content,
      )
  },
  async 'openai-responses'() {
    const client = await openai()
    return (model) =>
      count(client.responses.create({ model, input: 'Hello', stream: true }), (event) => event.type === 'response.output_text.delta')
  },
  async '@anthropic-ai/sdk'() {
    const { default: Anthropic } = await import('@anthropic-ai/sdk')
    const client = new Anthropic({ apiKey: key, baseURL: origin, maxRetries: 0 })
    return (model) =>
      count(client.messages.create({ model, max_tokens: 100, messages, stream: true }), (event) => event.type === 'content_block_delta')
  },
  async '@google/genai'() {
    const { GoogleGenAI } = await import('@google/genai')
    const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: origin } })
    return (model) =>
      count(client.models.generateContentStream({ model, contents: 'Hello' }), (chunk) => chunk.candidates?.[0]?.content?.parts?.[0]?.text)
  },
  async '@aws-sdk/client-bedrock-runtime'() {
    const { BedrockRuntimeClient, ConverseStreamCommand } = await import('@aws-sdk/client-bedrock-runtime')
    const { NodeHttpHandler } = await import('@smithy/node-http-handler')
    const credentials = { accessKeyId: 'AKIDBENCH', secretAccessKey: key }
    const client = new BedrockRuntimeClient({
      region: 'us-east-1',
      endpoint: origin,
      credentials,
      maxAttempts: 1,
      requestHandler: new NodeHttpHandler(),
    })
    return async (modelId) => {
      const { stream } = await client.send(
        new ConverseStreamCommand({ modelId, messages: [{ role: 'user', content: [{ text: 'Hello' }] }] }),
      )
      return count(stream, (event) => event.contentBlockDelta)
    }
  },
  async 'ai: openai-chat'() {
    const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
    const provider = createOpenAICompatible({ name: 'bench', apiKey: key, baseURL: `${origin}/v1`, includeUsage: true })
    return askModel((model) => provider.chatModel(model))
  },
  async 'ai: openai-responses'() {
    const { createOpenAI } = await import('@ai-sdk/openai')
    const provider = createOpenAI({ apiKey: key, baseURL: `${origin}/v1` })
    return askModel((model) => provider.responses(model))
  },
  async 'ai: anthropic-messages'() {
    const { createAnthropic } = await import('@ai-sdk/anthropic')
    const provider = createAnthropic({ apiKey: key, baseURL: `${origin}/v1` })
    return askModel((model) => provider(model))
  },
  async 'ai: gemini-generate'() {
    const { createGoogleGenerativeAI } = await import('@ai-sdk/google')
    const provider = createGoogleGenerativeAI({ apiKey: key, baseURL: `${origin}/v1beta` })
    return askModel((model) => provider(model))
  },
  async 'ai: bedrock-converse'() {
    const { createAmazonBedrock } = await import('@ai-sdk/amazon-bedrock')
    const provider = createAmazonBedrock({ region: 'us-east-1', accessKeyId: 'AKIDBENCH', secretAccessKey: key, baseURL: origin })
    return askModel((model) => provider(model))
  },
}

async function openai() {
  const { default: OpenAI } = await import('openai')
  return new OpenAI({ apiKey: key, baseURL: `${origin}/v1`, maxRetries: 0 })
}

/** The SDK's model itself: `streamText` around it costs more. */
function askModel(open) {
  return async (id) => {
    const { stream } = await open(id).doStream({ prompt: [{ role: 'user', content: [{ type: 'text', text: 'Hello' }] }] })
    return count(stream, (part) => part.type === 'text-delta' && part.delta !== '')
  }
}

async function count(stream, isText) {
  let heard = 0
  for await (const event of await stream) if (isText(event)) heard += 1
  return heard
}

process.stdout.write(`${JSON.stringify(await measure(await clients[name]()))}\n`)

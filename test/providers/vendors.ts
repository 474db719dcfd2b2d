import type { VendorRules } from '../support/fakes/fake-vendor.ts'

const reasoningObject = { takes: ['reasoning'], refuses: ['reasoning_effort'] }

/**
 * What vendors refuse and say, from their pages and from what people were answered: not from the manifests, which must fit it.
 * Who is not here is as strict as the vendor that the protocol comes from. Read in vendors' own pages: the rules of cerebras, groq, cohere, zai and
 * alibaba, and the ids of calls at mistral. The others are assumed from what clients of the vendor send; no vendor was reached.
 */
export const vendorRules: Readonly<Record<string, VendorRules>> = {
  'ai-gateway': reasoningObject,
  alibaba: { takes: ['enable_thinking'], refuses: ['reasoning_effort'] },
  'alibaba-coding-plan': { takes: ['enable_thinking'], refuses: ['reasoning_effort'] },
  'azure-foundry': { keyHeader: 'api-key' },
  // 400 wrong_api_format for every field that it does not know; its reasoning comes in `reasoning`.
  cerebras: { refuses: ['reasoning_content', 'max_tokens'], reasoning: 'reasoning' },
  // docs.cohere.com/docs/compatibility-api, unsupported parameters.
  cohere: { refuses: ['parallel_tool_calls', 'user', 'n', 'prompt_cache_key'] },
  // api-docs.deepseek.com/guides/thinking_mode
  deepseek: { takes: ['thinking'], refuses: ['prompt_cache_key'] },
  // What Gemini CLI sends: google-gemini/gemini-cli, packages/core/src/code_assist.
  'google-gemini-cli': { envelope: 'code-assist' },
  groq: { refuses: ['reasoning_content', 'max_tokens'], reasoning: 'reasoning' },
  kilocode: reasoningObject,
  'kimi-coding': { refuses: ['temperature'] },
  'kimi-coding-cn': { refuses: ['temperature'] },
  // The tokens of its logins, as its own plugin for OpenClaw sends them.
  'minimax-oauth': { bearer: true },
  'minimax-cn-oauth': { bearer: true },
  // 422 for additional inputs; usage comes unasked; "must be a-z, A-Z, 0-9, with a length of 9".
  mistral: {
    refuses: ['stream_options', 'reasoning_effort', 'reasoning_content', 'prompt_cache_key'],
    callId: /^[A-Za-z0-9]{9}$/,
    countsUnasked: true,
    reasoning: 'reasoning',
  },
  // Any key is answered with 401.
  'opencode-free': { refusesKeys: true },
  // askalf/dario#1142, kortix-ai/suna#5124, Wei-Shaw/sub2api#589: each refused by name, whatever the model.
  'openai-codex': { refuses: ['max_output_tokens', 'temperature', 'top_p', 'metadata'] },
  // Without it a request is refused.
  'opencode-go': { needsHeader: 'x-opencode-session' },
  openrouter: { takes: ['reasoning'], refuses: ['reasoning_effort'] },
  // docs.claude.com/en/api/claude-on-vertex-ai: the two differences from the vendor's own API.
  'vertex-claude': { modelInPath: 'vertex-2023-10-16' },
  // docs.z.ai/guides/capabilities/thinking-mode
  zai: { takes: ['thinking'], refuses: ['reasoning_effort', 'prompt_cache_key'] },
}

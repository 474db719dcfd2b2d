import { defineSection } from '../define-section.ts'

export const api = defineSection('HTTP API server', {
  'api.listen': {
    since: 1,
    hash: '59ee9b63b889',
    text: 'The HTTP API listens on port 8642 of this machine unless told otherwise, and its paths begin with /v1.',
  },
  'api.cors': { since: 1, hash: '59ee9b63b889', text: 'Chat pages in a browser can use it through CORS.' },
  'api.chat.stateless': {
    since: 1,
    hash: 'ca9c08ea0c74',
    text: 'POST /v1/chat/completions takes a chat-completions request and keeps nothing between requests.',
  },
  'api.chat.system-layered': {
    since: 1,
    hash: 'ca9c08ea0c74',
    text: "System messages of the caller are added to the agent's own prompt and do not replace it.",
  },
  'api.chat.usage': { since: 1, hash: 'ca9c08ea0c74', text: 'The completion reports real token counts.' },
  'api.chat.stream': { since: 1, hash: 'ca9c08ea0c74', text: 'On request the completion comes as SSE chunks while the agent writes it.' },
  'api.responses.create': {
    since: 2,
    hash: '226c87768b09',
    text: 'POST /v1/responses takes a responses request, answers with a response object and stores it.',
  },
  'api.responses.chain': { since: 2, hash: '226c87768b09', text: 'Such a request may continue a stored response or a named conversation.' },
  'api.responses.get': { since: 2, hash: 'c564650553b6', text: 'GET /v1/responses/{id} answers with the stored response.' },
  'api.responses.delete': { since: 2, hash: 'dbfe9b1e91de', text: 'DELETE /v1/responses/{id} removes it.' },
  'api.models': { since: 1, hash: '650463924eda', text: 'GET /v1/models lists the agent as the only model.' },
  'api.health': { since: 1, hash: '2e5d0cf11ae4', text: 'GET /health tells whether the server lives.' },
})

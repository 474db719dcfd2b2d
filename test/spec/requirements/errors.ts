import { defineSection } from '../define-section.ts'

export const errors = defineSection('Errors', {
  'error.no-provider.event': {
    since: 5,
    hash: '0ee1e60ecec4',
    text: 'Without a provider prompt.submit is accepted, and the auth error comes as an event of the gateway.',
  },
  'error.no-provider.onboarding': { since: 6, hash: '0ee1e60ecec4', text: 'The desktop app answers that error by opening onboarding.' },
  'error.no-provider.runtime-check': { since: 5, hash: '0ee1e60ecec4', text: 'setup.runtime_check runs into the same error.' },
  'error.unknown-profile': {
    since: 5,
    hash: '4ea9d9e0aee1',
    text: 'An unknown profile is a 404 everywhere, never an empty answer and never a 500.',
  },
  'error.ws-rejected': { since: 5, hash: 'dccaaa15b4ad', text: 'A refused WebSocket is closed with 4403.' },
  'error.bad-password': { since: 5, hash: 'dd6a8e6e3f1c', text: 'A wrong password is answered with 401 and nothing more.' },
  'error.send-file': {
    since: 2,
    hash: '7ca2b54fda84',
    text: 'send --file with something that is no text explains itself and points to MEDIA:.',
  },
  'error.blueprint-slot': { since: 4, hash: '89e7fedad4a0', text: 'A slot that is missing or wrong is named.' },
  'error.blueprint-ambiguous': { since: 4, hash: 'a3fb56eb3847', text: "A blueprint's name that fits several lists them." },
  'error.bootstrap-stage': {
    since: 6,
    hash: '94046b4598fe',
    text: 'A failed stage stays failed; the app offers to copy the output and to load again.',
  },
  'error.windows-runtime': {
    since: 6,
    hash: 'bee8629ebf6d',
    text: 'On Windows without Git Bash or without Python from 3.11 on, preparing says what to do.',
  },
  'error.background-result': {
    since: 2,
    hash: '625700f89fc8',
    text: 'What a messaging session hears of background tools follows background_process_notifications.',
  },
})

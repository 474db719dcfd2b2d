import { defineSection } from '../define-section.ts'

export const dashboard = defineSection('Web dashboard', {
  'dashboard.profile.scope': {
    since: 5,
    hash: '51cc1cfcdb54',
    text: "These endpoints take a profile in the query or the body, the body's wins, and without one the default profile answers as it always did.",
  },
  'dashboard.profile.unknown': { since: 5, hash: '51cc1cfcdb54', text: 'A profile that does not exist is answered with 404.' },
  'dashboard.config': { since: 5, hash: 'd2e1a998007e', text: "/api/config reads and writes the profile's configuration, parsed or raw." },
  'dashboard.env': { since: 5, hash: 'da461200a2ed', text: "/api/env lists, sets, deletes and reveals the profile's variables." },
  'dashboard.mcp.servers': {
    since: 5,
    hash: 'cb537efd2af9',
    text: "/api/mcp/servers lists, adds, removes, tests and switches the profile's MCP servers.",
  },
  'dashboard.mcp.catalog': {
    since: 5,
    hash: '9d0b1bc3274c',
    text: '/api/mcp/catalog lists what can be installed and installs it for the profile.',
  },
  'dashboard.model': {
    since: 5,
    hash: 'a16957f9083f',
    text: 'The four /api/model endpoints tell about the model, offer a choice, set it and read the pins of side tasks, each for the profile.',
  },
  'dashboard.skills': {
    since: 5,
    hash: '5d7ae283849b',
    text: "Skills and tools can be listed and managed, and a tool's set-up runs in the chosen profile.",
  },
  'dashboard.status': { since: 5, hash: 'cd620b877c91', text: 'GET /api/status answers everybody.' },
  'dashboard.oauth-catalog': { since: 5, hash: '0ec139332b45', text: 'GET /api/providers/oauth lists the providers with OAuth login.' },
  'dashboard.platforms.list': { since: 5, hash: '37922da671ae', text: 'GET /api/messaging/platforms lists the platforms and their state.' },
  'dashboard.platforms.save': {
    since: 5,
    hash: '80795fb7ac4c',
    text: 'PUT on a platform saves its settings: secrets to the environment file, the switch to the configuration.',
  },
  'dashboard.platforms.test': { since: 5, hash: 'b2a2ff58f90a', text: "POST on a platform's test tries its connection." },
  'dashboard.gateway.restart': { since: 5, hash: 'e728ee4daa9a', text: 'POST /api/gateway/restart restarts the gateway.' },
  'dashboard.agent.update': { since: 5, hash: '093c2cbcbc18', text: 'POST /api/agent/update updates the program.' },
  'dashboard.blueprints.list': { since: 5, hash: 'bb5daf0a9471', text: 'GET /api/cron/blueprints lists the blueprints with their forms.' },
  'dashboard.blueprints.instantiate': { since: 5, hash: 'be43aeace1f5', text: 'A POST below that path fills the slots and makes a job.' },
  'dashboard.actions.single': {
    since: 5,
    hash: '5af0f21ea8e8',
    text: 'A second restart or update while one runs joins it; looking and starting happen under one lock.',
  },
  'dashboard.mcp.probe': {
    since: 5,
    hash: '861e51c027fc',
    text: "Testing an MCP server fills placeholders from the chosen profile's environment and stays in that profile inside its worker.",
  },
  'dashboard.model.expensive': {
    since: 5,
    hash: 'b428c0965a17',
    text: 'Setting a model warns about an expensive one first, and only then writes inside the profile.',
  },
  'dashboard.actions.spawn-failed': {
    since: 5,
    hash: '55fa45b6d34c',
    text: 'When a process cannot be started, its log is closed and a mark of the failure is left.',
  },
  'dashboard.ws.gateway': {
    since: 5,
    hash: '3d6e9810e50b',
    text: '/api/ws carries the chat as methods and events in the JSON-RPC manner.',
  },
  'dashboard.ws.pty': {
    since: 5,
    hash: 'b97f2514f948',
    text: "/api/pty is a terminal; with a profile its child runs in that profile's home, with a gateway of its own.",
  },
  'dashboard.chat-page': { since: 5, hash: '38229d85ae3e', text: '/chat is the page with the embedded chat.' },
  'dashboard.chat-always': { since: 5, hash: 'b72678a42dc7', text: 'That chat is always there, and the dashboard knows no --tui.' },
  'dashboard.methods.session-create': { since: 5, hash: '8b2f106cefd5', text: 'session.create opens a chat session.' },
  'dashboard.methods.prompt-submit': {
    since: 5,
    hash: '8b2f106cefd5',
    text: 'prompt.submit sends a message; with truncate_before_user_ordinal it replaces one sent earlier.',
  },
  'dashboard.methods.setup-status': {
    since: 5,
    hash: '8b2f106cefd5',
    text: 'setup.status counts credentials found by a detour as configured.',
  },
  'dashboard.methods.runtime-check': {
    since: 5,
    hash: '8b2f106cefd5',
    text: 'setup.runtime_check decides strictly, by what session creation itself would do.',
  },
})

import { defineSection } from '../define-section.ts'

export const slash = defineSection('Slash commands', {
  'slash.new': { since: 1, hash: 'a341684895f8', text: '/new and /reset begin a new session.' },
  'slash.stop': { since: 1, hash: 'a341684895f8', text: '/stop ends the running turn.' },
  'slash.plugins': { since: 1, hash: 'a341684895f8', text: '/plugins shows the plugins.' },
  'slash.usage': { since: 1, hash: 'a341684895f8', text: '/usage shows what was used.' },
  'slash.title': { since: 1, hash: 'a341684895f8', text: '/title names the session.' },
  'slash.compress': { since: 4, hash: 'a341684895f8', text: '/compress shortens the history.' },
  'slash.reasoning': {
    since: 1,
    hash: 'a341684895f8',
    text: '/reasoning takes none, low, medium, high or xhigh as effort, and show, on, hide or off for display.',
  },
  'slash.rollback': { since: 4, hash: 'a341684895f8', text: '/rollback goes back to a checkpoint, on request by its number.' },
  'slash.background': { since: 2, hash: 'a341684895f8', text: '/background runs a prompt aside.' },
  'slash.plan': { since: 4, hash: 'a341684895f8', text: '/plan plans.' },
  'slash.browser': { since: 4, hash: 'a341684895f8', text: '/browser connects, disconnects and tells its status.' },
  'slash.tools': { since: 1, hash: 'a341684895f8', text: '/tools enables, disables and lists tools.' },
  'slash.voice': { since: 6, hash: 'a341684895f8', text: '/voice switches the voice mode.' },
  'slash.update': { since: 4, hash: 'a341684895f8', text: '/update updates the program.' },
  'slash.reload-mcp': { since: 4, hash: 'a341684895f8', text: '/reload-mcp connects the MCP servers again.' },
  'slash.version': { since: 1, hash: 'a341684895f8', text: '/version tells the version.' },
  'slash.memory': { since: 4, hash: 'a341684895f8', text: '/memory deals with the memory.' },
  'slash.skills': {
    since: 4,
    hash: 'a341684895f8',
    text: '/skills shows pending writes, their difference, approves or rejects them and switches the gate.',
  },
  'slash.agents': { since: 4, hash: 'a341684895f8', text: '/agents shows the child agents.' },
  'slash.blueprint': { since: 4, hash: 'a341684895f8', text: '/blueprint, or /bp, deals with blueprints.' },
  'slash.blueprint.list': { since: 4, hash: '3c99768377d2', text: '/blueprint alone lists the catalog.' },
  'slash.blueprint.match': {
    since: 4,
    hash: 'd5e62d85fcb2',
    text: 'A name is found exactly, by its beginning, by a part or roughly; when several fit they are listed.',
  },
  'slash.blueprint.seed': {
    since: 4,
    hash: 'd5e62d85fcb2',
    text: 'A found blueprint begins an ordinary turn in which the agent asks for one slot after the other and then uses the cron tool.',
  },
  'slash.blueprint.fill': {
    since: 4,
    hash: '056a5c22cddc',
    text: 'With slots given the job is checked and made at once, and a slot that is missing or wrong is named.',
  },
})

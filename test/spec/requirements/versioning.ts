import { defineSection } from '../define-section.ts'

export const versioning = defineSection('Versioning', {
  'version.api-prefix': { since: 1, hash: 'cd2e4a0666a3', text: "The HTTP API's version is in its path: /v1." },
  'version.config.merge': {
    since: 1,
    hash: '0f2ab36157ae',
    text: 'Keys that config.yaml lacks are filled from the defaults, at every depth.',
  },
  'version.config.migration': { since: 1, hash: '0f2ab36157ae', text: 'A file of an older _config_version is migrated.' },
  'version.config.environment': {
    since: 1,
    hash: '0f2ab36157ae',
    text: 'Every environment variable is entered under the version that brought it.',
  },
  'version.desktop.pin': { since: 6, hash: '8b523220876c', text: "The desktop's build stamp fixes the installer's commit." },
  'version.desktop.marker-schema': { since: 6, hash: '8b523220876c', text: 'The marker of set-up has a schemaVersion.' },
  'version.desktop.channels': {
    since: 6,
    hash: '8b523220876c',
    text: 'Desktop releases come as stable and as nightly, and begin at 0.0.2.',
  },
  'version.rename.blueprints': {
    since: 4,
    hash: '4fca2919a787',
    text: 'What was called cron recipes is now called blueprints, in commands, endpoints and links.',
  },
  'version.rename.dashboard-tui': { since: 5, hash: '146c0ac1258d', text: "The dashboard's --tui and AGENT_DASHBOARD_TUI have no effect." },
  'version.rename.compression-env': {
    since: 1,
    hash: '32b0ce315d8d',
    text: 'Environment variables for compression no longer exist; YAML does it.',
  },
  'version.rename.desktop': { since: 6, hash: '42bf847a5075', text: "desktop is the command's name, gui its other name." },
  'version.rename.new-reset': { since: 1, hash: 'ac31c1ecbef8', text: '/new and /reset do the same.' },
})

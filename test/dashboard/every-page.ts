import { panelPages } from './stand-in-panels.ts'

/** Addresses of every page that the stand-in serves. */
export const everyPage = [
  ...['start', 'models', 'platforms', 'platforms/toy', 'people', 'plugins', 'status', 'usage', 'profiles', 'config', 'environment'],
  ...['sessions', 'chat', 'chat/ses_long', 'terminal', 'panel/toy', 'panel/toy%2Fthing%2Fmilk', ...panelPages, 'no-such-page'],
]

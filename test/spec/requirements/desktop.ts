import { defineSection } from '../define-section.ts'

export const desktop = defineSection('Desktop app', {
  'desktop.resolve.root': { since: 6, hash: '7c2626b696de', text: 'The desktop app first looks where AGENT_DESKTOP_AGENT_ROOT points.' },
  'desktop.resolve.source': { since: 6, hash: 'bc4abaf70ebe', text: 'Second comes a source checkout, for developers.' },
  'desktop.resolve.checkout': {
    since: 6,
    hash: '10f20511b8d2',
    text: 'Third comes the checkout in the home that has the marker of a complete set-up.',
  },
  'desktop.resolve.path': {
    since: 6,
    hash: '69e8b42051ba',
    text: 'Fourth comes agent on the search path, provided that --version succeeds.',
  },
  'desktop.resolve.package': {
    since: 6,
    hash: 'e0d9e51bf8cb',
    text: "Fifth comes an installed package of the system's Python, provided that it can be imported.",
  },
  'desktop.resolve.bootstrap': { since: 6, hash: '9dfcb5eee57e', text: 'Where none of them is usable, set-up begins.' },
  'desktop.python': { since: 6, hash: 'd451fc9d3871', text: 'Python 3.11, 3.12 and 3.13 are supported; 3.14 is not.' },
  'desktop.ipc': {
    since: 6,
    hash: 'c6047740016c',
    text: "The app's processes talk over five channels: event, get and reset below agent:bootstrap, summary and run below agent:uninstall.",
  },
  'desktop.deep-link': {
    since: 6,
    hash: 'c6047740016c',
    text: 'An agent://blueprint link with slots in its query opens the composer filled in.',
  },
})

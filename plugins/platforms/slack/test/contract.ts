export { openWorld } from './slack-world.ts'

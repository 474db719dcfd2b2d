/** What the contract suite does with this platform. */
export { openWorld } from './testing/contract-world.ts'

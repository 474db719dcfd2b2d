// The one way from the host to the border: it is no part of what the SDK promises to plugins.

export { maxFrameBytes } from '../../../../plugin-sdk/src/border/frame-limits.ts'
export { type BorderLink, linkPair, pipeLink } from '../../../../plugin-sdk/src/border/link.ts'
export { openRemote, type Remote } from '../../../../plugin-sdk/src/border/remote.ts'
export { type BorderScope, openScope } from '../../../../plugin-sdk/src/border/scope.ts'

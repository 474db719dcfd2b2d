import { openPlainTrial } from './plain-trial.ts'
import { openSealedTrial } from './sealed-trial.ts'

export const debianPackage = 'matrix-synapse'
export const serverTrials = [openPlainTrial, openSealedTrial]

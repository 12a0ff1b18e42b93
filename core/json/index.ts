export {
  type Cut,
  type CutFault,
  type CutLimits,
  type CutPath,
  cutJson,
  deepest,
} from './cut-json.ts'
export { inSlices } from './in-slices.ts'
export { keptBytes, type Piece, parsePiece, textOf } from './piece.ts'

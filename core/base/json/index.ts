export {
  type Cut,
  type CutFault,
  type CutLimits,
  type CutPath,
  cutJson,
} from './cut-json.ts'
export { createSlices, inSlices, type Slices, sliceSize } from './in-slices.ts'
export { keptBytes, type Piece, parsePiece, readPiece, textOf } from './piece.ts'

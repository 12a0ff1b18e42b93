export { type Cut, type CutFault, cutJson } from './cut-json.ts'
export { parsePiece, textOf } from './piece.ts'

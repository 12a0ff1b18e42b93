import { type BodyEncoding, bodyEncodingBy, bodySettings } from '@countersign/core/store-kit'
import { Packr } from 'msgpackr'

/** Bodies of rows as MessagePack. */
export const bodyEncoding: BodyEncoding = bodyEncodingBy(new Packr(bodySettings))

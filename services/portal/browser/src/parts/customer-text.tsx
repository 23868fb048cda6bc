import { piecesOf } from './hidden-characters.ts';

/**
 * Every text that a customer or a user has set: isolated, so that its direction moves nothing
 * beside it, and with what cannot be seen shown by its number.
 */
export function CustomerText({ text }: { text: string }) {
  const pieces = piecesOf(text);
  return (
    <bdi>
      {pieces.map((piece, index) =>
        'text' in piece ? (
          piece.text
        ) : (
          <span key={index} className="hidden-character">
            {piece.mark}
          </span>
        ),
      )}
    </bdi>
  );
}

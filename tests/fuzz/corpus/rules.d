	10-a
-D
-w /a -p wa -k a
===
20 b
-e 2
	# x
-w /a -p wa -k a
-b 1
===
9
-e 1
-w /glued
#include "corpus.hpp"

namespace storyteller {
namespace {

constexpr std::string_view texts[] = {
    R"(Once upon a time there was a little girl named Mia who lived in a small house near the forest. She
had a red coat, a yellow hat and a dog named Biscuit. Every morning they walked to the river together.

One day Biscuit ran into the forest and did not come back. Mia called his name, but nobody answered. "I must
find him before it gets dark," said Mia. She walked under the tall trees until she came to an old oak. There
sat a little owl.

"Have you seen my dog?" asked Mia.

"He is sleeping behind the big stone," said the owl. Mia looked behind the big stone, and there he was. She
was so happy that she hugged him for a long time. Then they walked home together, and Mia gave the owl a
piece of her bread.)",

    R"(Once upon a time there was a small mouse who lived under the floor of a bakery. Every night, when the
baker was asleep, the mouse came out and ate the crumbs. He was never hungry, but he was very lonely.

One night the mouse heard someone crying. It was a little cat who had lost her mother. The mouse was afraid
of cats, but he was also very kind. "Do not cry," he said. "You can share my crumbs."

The cat was so surprised that she stopped crying. They ate together under the table until the sun came up.
From that day on, the mouse was not lonely any more, and the cat never chased a mouse again.)",

    R"(Tom wanted to catch the moon. Every night he looked out of his window and saw it shining over the
hill. "It is not so far away," he said to his sister Mia. "If I climb the hill, I can take it in my hands."

The next evening they climbed the hill together. It was cold and dark, and the wind was blowing in the
trees. When they came to the top, the moon was still far away. Tom was very sad.

"Look down," said Mia. In the little lake below the hill there was another moon, round and bright. They ran
down to the water, and Tom put his hands into the lake. For a moment he was holding the moon. "It is very
cold," he said, and they laughed all the way home.)",

    R"(There was once a bear who could not sleep. The winter had come, the snow was falling, and all the
other bears were asleep in their caves. But the bear was thinking about honey.

He went to see the owl. "Count the stars," said the owl. The bear counted the stars until he came to one
hundred, but he could not sleep. He went to see the rabbit. "Drink some warm milk," said the rabbit. The
bear drank the warm milk, but he could not sleep.

Then he went to see the old hedgehog, who lived under the leaves. "Come and lie down next to me," said the
hedgehog. "I will tell you a story." The story was long and slow, and before the end of it the bear was fast
asleep. He slept until spring, and he dreamed of honey every night.)",

    R"(In a village by the sea there lived an old fisherman named Ben. He had a blue boat and a white cat,
and every morning they went out to catch fish. The cat sat at the front of the boat and watched the water.

One morning the fog was so thick that Ben could not see the shore. He did not know which way to go. "We are
lost," said the old fisherman. But the cat was not afraid. She lifted her nose and looked to the left.

Ben turned the boat to the left and rowed for a long time. At last he heard the bell of the village, and
then he saw the light of his own little house. "You can smell our kitchen from the middle of the sea," said
Ben, and he gave the cat the biggest fish in the basket.)",

    R"(Mia and her grandmother wanted to bake an apple cake. They had flour and sugar and butter, but they
had no apples. "The best apples grow behind the old mill," said her grandmother. "Take the basket, and be
back before lunch."

Mia took the basket and walked along the river. Behind the old mill there was a tree full of red apples, but
the apples were too high for her. She jumped, and she jumped again, but she could not reach them.

Then a horse came to the fence and looked at her with big brown eyes. "Please help me," said Mia. The horse
let her climb on his back, and soon the basket was full. Mia gave him three of the best apples. When she
came home, the cake was baked, and the whole house smelled of sugar and apples.)",

    R"(A little fox lived in the forest with his mother and his two sisters. His sisters could run very
fast, but the little fox was slow. "You will never catch anything," said his sisters, and they laughed at
him.

One evening the river rose, and the water came into the forest. The foxes ran up the hill. But a small
rabbit sat on a stone in the middle of the water and could not swim. His sisters were afraid of the water.
The little fox was not afraid. He swam to the stone, took the rabbit on his back and swam to the shore
again.

"You are slow on land," said his mother, "but nobody swims as well as you." The little fox was very proud.
After that nobody laughed at him, and the rabbit was his best friend.)",

    R"(One day a little bird fell out of her nest. She could not fly yet, and her mother was far away. The
little bird sat in the grass and was afraid.

A frog came by. "I can jump," said the frog, "but I cannot jump so high." A snail came by. "I can climb,"
said the snail, "but it will take me all week." Then a squirrel came down from the oak tree. "I can jump and
I can climb," said the squirrel. "Hold on to my tail."

The little bird held on to the tail of the squirrel, and up they went, from branch to branch, until they
came to the nest. When her mother came home, the little bird was sitting in the nest and singing. She sang
about the frog, the snail and the squirrel.)",

    R"(There was once a king who had everything. He had a golden crown, a golden bed and a golden spoon, but
he was never happy. Every morning he looked out of the window and said, "Something is missing."

One day a boy came to the castle to sell brown bread. The king bought a piece and ate it. It was still warm.
"This is the best bread in the world," said the king. "Who made it?"

"My grandmother made it," said the boy. "She sings when she bakes."

The king put on an old coat and went to the village. He sat in the kitchen of the grandmother and helped her
to make the bread, and they sang together. His hands were white with flour, and his golden crown was lying
under the table. "Now nothing is missing," said the king. After that he came back every Sunday.)",

    R"(Tom had a kite that was as blue as the sky. On windy days he took it to the top of the hill, and it
flew so high that he could not see it any more. He could only feel it pulling at the string.

One day the string broke, and the kite flew away over the forest. Tom ran after it until he was tired. He
looked in the trees and behind the stones, but the kite was gone. He went home and did not want to eat.

In the morning somebody knocked at the door. It was a girl with a green hat. "My name is Anna," she said. "I
live on the other side of the forest. Is this your kite? It fell into our garden." Tom was very happy. "Come
with me to the hill," he said, "and you can hold the string." And that is how Tom lost a kite and found a
friend.)",

    R"(Far away in the mountains there lived a little dragon who could not make fire. When he opened his
mouth, only bubbles came out. The other dragons laughed at him, and the little dragon hid in his cave.

One summer it did not rain for a long time. The grass was dry and the leaves were dry. Then one of the big
dragons sneezed, and the whole hill began to burn. The big dragons blew and blew, but that only made it
worse.

The little dragon came out of his cave. He took a deep breath, opened his mouth and blew more bubbles than
ever before. They flew over the hill like a cloud, and where they fell, the fire went out. "Hooray for the
little dragon!" cried all the others. After that day nobody laughed at his bubbles, and on birthdays they
asked him for more.)",

    R"(Once there was a snowman who stood in the garden of a small house. He had a carrot for a nose and an
old black hat. The children played with him every day, and he was very happy.

But one morning the sun was warm, and a drop of water ran down his nose. "What is happening to me?" asked
the snowman.

"Spring is coming," said a bird on the fence. "You will turn into water, and the water will go into the
ground. Then the flowers will drink it."

The snowman thought about it for a long time. "I have never seen a flower," he said. The sun shone every
day, and the snowman got smaller and smaller, until only the black hat was left. Then the first flowers came
out of the ground, right under the hat. They were as white as snow. The children took some of them into the
house, and so the snowman saw the kitchen at last.)",

    R"(The little rabbit had lost his red button. It was the best button in the world, and it came from the
coat of his grandfather. He looked under his bed and behind the door. He looked in the soup. The button was
not there.

"I will help you," said the mouse, and they looked in the garden. "I will help you too," said the duck, and
they looked at the pond. "I will help you as well," said the bear, and they looked in the forest until it
got dark.

They did not find the button, and the little rabbit began to cry. Then the bear sat down on the grass, and
he jumped up again. "Something bit me!" he cried. It was the red button. The little rabbit laughed, and the
bear laughed too. They all went home together and had soup, and this time there was no button in it.)",

    R"(Anna was afraid of the dark. Every night, when her mother turned off the light, she thought that
there was a monster under her bed. She pulled the blanket over her head and did not move.

One night she heard a small voice. "Please," said the voice, "can you turn on the light? I am afraid of the
dark." Anna looked under the bed, and there was a little green monster with big eyes.

"Are you afraid too?" asked Anna. The monster nodded. Anna was so surprised that she forgot to be afraid.
She took the monster into her arms and showed him the stars behind the window. "The dark is only there so
that we can see them," she said. The monster liked that very much. After that night Anna and the monster
were never afraid again, because there were two of them.)",

    R"(There was once a duck who did not like water. When the other ducks were swimming in the pond, she sat
in the grass and kept her feet dry. "The water is cold and wet," she said.

One day a kitten fell into the pond. "Help!" cried the kitten. "I cannot swim!" The other ducks were far
away, on the other side of the pond. The duck looked at the water, and she looked at the kitten. Then she
closed her eyes and jumped.

The water was cold and wet, but the duck did not think about it. She swam to the kitten and pushed her to
the shore. The kitten was wet too, but she was not hurt. "Thank you," said the kitten. "You are a very good
swimmer." The duck was surprised. She looked at the pond for a moment. Then she jumped into the water again,
only because it was fun.)",

    R"(Grandfather had an old clock that stood in the hall. It said tick and tock all day and all night. One
morning the house was very quiet. The clock had stopped.

"Maybe it is tired," said Mia. "Maybe it is hungry," said Tom. Grandfather laughed. He opened the little
door of the clock and looked inside. "There is somebody in here," he said.

In the clock there was a nest of hay, and in the nest there were a mouse and five little mice. They were all
asleep. "We cannot wake them," said Mia. So Grandfather closed the little door again, and for three weeks
nobody in the house knew what time it was. They ate when they were hungry and went to bed when they were
tired. When the mice were big, they moved into the garden, and the clock said tick and tock again. But
sometimes Mia was a little sad about it.)",

    R"(One winter evening the old owl lost her glasses. Without her glasses she could not read, and every
evening she read a story to the animals of the forest. They were already waiting under the oak tree.

"I cannot read tonight," said the owl. "I cannot see the words." The animals were very sad. Then the little
mouse climbed on the book. "I cannot read," she said, "but I can tell you what I see in the picture. There
is a boat, and there is a bear in the boat."

"Where is the bear going?" asked the rabbit.

"He is going to the moon," said the fox.

"He has a basket full of honey," said the hedgehog. So they all told the story together, and it was the best
story of the whole winter. When it was over, the owl found her glasses. They were on her head. But she did
not say anything, and on the next evening she lost them again.)",

    R"(Once upon a time there was a tree that stood alone on a hill. It was a small tree, and it was often
sad, because in the forest all the other trees stood together. "I have no friends," said the little tree.

In spring a bird came and built a nest in its branches. In summer the children came and sat in its shadow.
In autumn a squirrel came and hid nuts between its roots. In winter the snow came, and a fox slept under the
little tree, where the ground was dry.

A year later the tree was not so small any more. The wind came over the hill and asked, "Are you lonely up
here?" The tree thought about the bird, the children, the squirrel and the fox. "No," it said. "I have the
whole world for a friend.")",

    R"(Tom did not want to go to bed. "I am not tired," he said. "I want to hear one more story." So his
mother told him a story about a boy who did not want to go to bed.

"The boy stayed awake all night," said his mother. "He played with his train, he ate a piece of cake, and he
danced with the cat. In the morning the sun came up, and all the other children went out to play. There was
a circus in the village, with an elephant and a clown. But the boy was so tired that he fell asleep with his
nose in the soup."

"Did he see the elephant?" asked Tom.

"No," said his mother. "He slept until the evening, and then the circus was gone."

Tom thought about it for a moment. Then he pulled the blanket up to his nose. "Good night," he said. "If an
elephant comes, please wake me up.")",

    R"(In the middle of the forest there was a small shop, and in the shop there was an old badger. He sold
everything that the animals wanted. He sold buttons and hats, honey and nuts, and long scarves for the
winter.

One day a little hedgehog came into the shop. "I want to buy a present for my mother," she said. "She is
ill, and she is very sad. But I have only one nut."

The badger looked at the nut. It was a very small nut. "For one nut," he said, "you can have a song." He
took his old violin from the wall and went with the little hedgehog to her house. He played all evening. The
mother of the hedgehog smiled, and then she laughed, and in the morning she was well again. The badger put
the nut in his window. It was the only thing in the shop that was not for sale.)",

    R"(There was once a little boat who was afraid of the sea. The other boats went out every morning with
the fishermen, but the little boat stayed by the shore. "The waves are too big," he said, "and I am too
small."

One night there was a storm. The wind was blowing, and the waves were as high as houses. Out on the sea
somebody was calling for help. It was the old fisherman Ben. The big boats were too heavy to pass between
the stones. "I am small," said the little boat. "I can do it."

He was very afraid, but he went. The waves threw him to the left and to the right. He passed between the
stones and came to the old fisherman, who climbed in. "You are the bravest boat in the world," said Ben.
From that day on, they went out together every morning, and the little boat was not afraid of the sea.)",

    R"(Mia found a stone by the river. It was round and gray, and it was warm in her hand. She put it in her
pocket and took it home. At night she put it under her pillow.

In the morning the stone was broken, and next to it sat a little dragon. He was as small as a mouse and as
green as grass. "Are you my mother?" asked the dragon.

"No," said Mia, "but I can be your friend." The dragon ate bread and honey, and every day he was a little
bigger. Soon he was as big as a cat, and then he was as big as a horse. He could not stay in the house any
more. "I have to go to the mountains," said the dragon. Mia was sad, but she understood. In the summer, when
the sky was blue, she often saw a green shadow flying over the hill. Then she waved, and the shadow waved
back.)",

    R"(The farmer had a donkey who was very old. "You have worked all your life," said the farmer. "Now you
can sleep in the grass." But the donkey did not want to sleep. He wanted to see the sea.

One morning he went out of the gate and walked along the road. In the forest he met a goose. "Where are you
going?" asked the goose. "I am going to the sea," said the donkey. "I will come with you," said the goose.
By the river they met a pig. "Where are you going?" asked the pig. "We are going to the sea," said the
goose. "I will come with you," said the pig.

They walked for three days. On the evening of the third day they stood on a hill, and there was the sea. It
was as big as the sky. They sat in the sand until the moon came out. "Now I can sleep," said the donkey, and
that is what he did.)",

    R"(One morning Anna woke up, and everything in the village was white. The snow had come in the night. It
lay on the roofs and on the fences and on the nose of the old horse. Anna put on her boots, her coat and her
green hat and ran out to play.

In the garden she saw small feet in the snow. Somebody had walked from the gate to the kitchen window. Anna
followed the feet around the house, along the fence and down to the pond. There, behind a bush, sat a
rabbit. He was very thin and very cold.

"You were looking for something to eat," said Anna. She ran home and came back with three carrots and an
apple. The rabbit ate everything. On the next morning there were small feet in the snow again, and this time
they were the feet of two rabbits. Anna had to buy a lot of carrots that winter.)",

    R"(A cloud wanted to see the world. She was a small cloud, and she lived over the sea with her brothers.
"Stay here," said her brothers. "The wind will blow you away." But the cloud was brave. She waited for the
wind, and off she went.

She flew over the village and over the forest. She saw the river and the old mill. She saw children who were
playing with a ball, and she saw a queen who was hanging up her socks. It was a wonderful day.

Then she came to a garden where all the flowers were dry. An old woman stood in the garden and looked at the
sky. "Please," said the old woman, "can you help my flowers?" The cloud looked down. She was so far away
from home that she had to cry a little, and the tears fell on the flowers. Soon they were red and yellow and
blue. The cloud felt very light, and the wind carried her home to the sea.)",

    R"(Once upon a time there was a princess who did not want to dance. Every evening there was a ball in
the castle, and every evening a prince asked her to dance. "No, thank you," said the princess. She wanted to
look at the stars.

One evening she went out of the hall and climbed up to the roof of the castle. A boy was sitting there. He
was the son of the cook, and he was eating a piece of cake. "Do you know the name of that star?" asked the
princess.

"No," said the boy, "but my grandfather told me that it always shows you the way home." They looked at the
stars and ate the cake together. The music came up to the roof, very quiet and far away. "It is a nice
song," said the boy. "Do you want to dance?" The princess laughed. "Up here," she said, "I do.")",

    R"(There was a small train that brought the milk from the farm to the village. It was old and slow, and
the wheels were singing when it went up the hill. The people said, "We need a new train. The old train is
too slow."

So a new train came. It was long and silver, and it was very fast. It was so fast that the milk turned into
butter before it came to the village. It did not stop for the cows, and it did not stop for the children who
waved.

"There is no milk," said the people. "We have only butter." They brought back the old train. It went slowly
up the hill, and the wheels were singing again. When it came to the village, the milk was still milk. The
children waved, and the old train rang its bell for each of them.)",

    R"(The wolf was hungry, and there was nothing in his kitchen but an onion. "Nobody can live on an
onion," said the wolf. He went into the forest to find something to eat. Soon he met the three little pigs.

"Are you going to eat us?" asked the pigs. They were very afraid.

"I wanted to," said the wolf, "but I am too tired to run. I have only an onion." The pigs looked at each
other. "We have a carrot," said the first pig. "We have a potato," said the second pig. "And I have a big
pot," said the third pig.

They went to the house of the wolf and made a soup. It was hot and it smelled wonderful. They all ate until
they were full, and the wolf ate the most. "Come back tomorrow," he said. "I never knew that an onion could
bring me so many friends.")",

    R"(Tom and Anna built a house in the old oak tree. It had a floor and a roof and a window, and there was
a basket on a string to bring up the cake. "Nobody can come in but us," said Tom. He wrote it on the door.

In the evening it began to rain. Somebody knocked at the door. It was a wet squirrel. "You can come in,"
said Anna, "because you are small." Then somebody knocked again. It was a wet owl. "You can come in too,"
said Tom, "because you live here." Then came a family of mice, a cat who was looking for the mice, and
Biscuit, who was looking for the cat.

The rain was falling on the roof, but in the house it was warm and dry. They shared the cake, and nobody
chased anybody. When the rain stopped, Tom took a pencil and wrote on the door again. Now it said,
"Everybody can come in.")",

    R"(The old lighthouse stood on a stone in the sea. Every evening the light went on, and every night it
showed the boats the way home. A girl named Nora lived there with her father.

One evening her father was ill and could not climb the stairs. There were one hundred stairs, and at the top
it was dark and windy. "I will do it," said Nora. She took the lamp and began to climb. She counted every
stair. When she came to fifty, the wind blew out the lamp. It was so dark that she could not see her own
hands.

She was afraid, but she thought of the fishermen. She put her hand on the cold wall and climbed and counted
until she came to one hundred. Then she turned on the big light. Far out on the sea a bell rang, and then
another, and another. The boats were saying thank you.)",

    R"(There was once a hedgehog who wanted to fly. He jumped from a stone, but he fell down. He jumped from
a fence, but he fell down again. "Hedgehogs cannot fly," said the fox. "Go and sleep under your leaves."

But the hedgehog did not give up. He went to the goose, who was very wise. "In autumn I fly to the south,"
said the goose. "You can sit on my back, if you keep very still." So the hedgehog sat on her back and kept
very still. They flew over the forest and over the river, and the houses of the village were as small as
nuts.

"What is it like to fly?" asked the fox in the evening.

"It is very beautiful," said the hedgehog, "and very cold. Next time I will take a scarf." Then he lay down
under his leaves and slept until spring.)",

    R"(Every Sunday the animals of the farm had a race. The horse always won, the dog was always second, and
the snail was always last. "Why do you run at all?" asked the horse. "You cannot win."

"I do not run to win," said the snail. "I run to look at the flowers."

The horse laughed, but on the next Sunday he could not stop thinking about it. There were flowers by the
road? He had never seen them. He went a little slower, and there they were, yellow and white and blue. There
was a bush full of berries too, and a nest with four little birds. The horse walked and looked and ate some
berries.

It was evening when he came back. The dog had won the race, and the snail was second. "That was the best
race of my life," said the horse, and he and the snail sat in the grass together and watched the moon.)",

    R"(A girl named Ella had a very small garden. It was only a box at the window, but she gave it water
every day. "What are you growing?" asked her brother. "I do not know yet," said Ella. A bird had dropped the
seed, and a bird does not tell you its name.

First there were two green leaves. Then there were ten. The plant grew over the window and up the wall, and
in summer it came to the roof. The neighbors came out of their houses and looked at it. "It is a bean," said
the baker. "It is a rose," said the teacher.

One morning there was a big yellow flower at the very top, as round as the sun. It looked over the whole
village, and the whole village looked back. "It is a sunflower," said Ella. In autumn she gave every
neighbor one seed, and the next summer there was a sun at every window.)",

    R"(One night a star fell into the forest. It was a very small star, and it had a scratch on one side.
The animals came and looked at it. "It is a lamp," said the badger. "It is an egg," said the goose. "It is
mine," said the fox, "because I saw it first."

"I want to go home," said the star.

The animals were quiet. Nobody had ever heard a lamp or an egg say that. "We have to help it," said the
little rabbit. But the sky was very high. The bear stood on the hill, the wolf stood on the bear, the fox
stood on the wolf, and the rabbit stood on the fox. At the top of them all stood the mouse, who held the
star in her hands.

Then the owl came and took it in her claws, and she flew up and up until nobody could see her any more. In
the morning she came back. Every night since then, one star has been shining a little brighter than the
others, right over the old oak tree.)",

    R"(The baker had a cat who slept all day. She slept on the flour, she slept on the chair, and sometimes
she slept in the basket with the bread. "You are a very lazy cat," said the baker.

One night there was a fire in the kitchen. It began very small, behind the oven. The baker was asleep. The
cat opened one eye. Then she jumped up, ran up the stairs and bit the baker in the toe.

"What are you doing?" cried the baker. Then he smelled the smoke. He ran down with a pot of water and put
out the fire, and nothing was hurt but a piece of cake. The baker sat down on the floor and took the cat in
his arms. "I will never say again that you are lazy," he said. But the cat did not hear it. She was asleep.)",

    R"(Mia got a letter, but she could not read yet. It was a blue letter with a picture of a ship. She took
it to her brother Tom. "I can only read my own name," said Tom. They took it to the baker, but his hands
were full of flour. They took it to old Ben, but he had no glasses.

So they walked to the school, and the teacher read the letter to them. "Dear Mia," it said, "I am coming
home on Sunday. I am bringing you a shell and a story. Your father."

Mia did not say anything. She took the letter and ran all the way home, and she hung it over her bed. On
Sunday they stood by the sea, Mia and Tom and their mother. First there was only a white point, far away.
Then it was a sail. And then their father was there, and he smelled of salt, and he had the biggest shell in
the world.)",

    R"(Once upon a time there was a giant who lived on top of a mountain. When he walked, the ground shook,
and when he laughed, the leaves fell from the trees. The people in the village were afraid of him. They did
not know that the giant was very lonely.

One day a little boy named Max lost his way in the mountains. It got dark, and he began to cry. Then the
ground shook, and a big hand came down from the sky. "Do not be afraid," said the giant, and he said it as
quietly as he could. "I will carry you home."

The giant carried Max down the mountain and put him on the roof of his house. His mother came out and saw
the giant, and she was not afraid at all. "Thank you," she said. "Would you like some soup?" The giant ate
nine pots of soup. After that he came to the village every Sunday, but he always walked on his toes.)",
};

}  // namespace

std::span<const std::string_view> stories() { return texts; }

}  // namespace storyteller
